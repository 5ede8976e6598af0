/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * lisp_functions.h -- the names and the frame words of Lisp functions, as
 * compiled code and the runtime tell them.
 *
 * Not inside the hook; one thread at a time.
 */
#ifndef MPROF_LISP_FUNCTIONS_H
#define MPROF_LISP_FUNCTIONS_H

#include <stddef.h>
#include <stdint.h>

#include <ecl/ecl.h>

/* Note those of the runtime and of all files that are loaded. */
void lisp_functions_open(void);

/* Note those of a file that is being loaded. */
void lisp_functions_add(const struct ecl_function_names *file);

/* The numbers of APPLY and of the APPLY that is a part of what calls it (see
 * sites.h); 0 before the first of these. */
struct lisp_apply {
  uint32_t function, passing;
};
extern struct lisp_apply lisp_apply;

/* The name of the I-th shared object whose Lisp code was not compiled with
 * the flags of this ECL, or NULL.  Its chains may lack functions that the C
 * compiler inlined or left by a jump. */
const char *lisp_functions_other_flags(size_t i);

#endif
