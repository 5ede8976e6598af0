/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * lisp_methods.h -- names of the functions of methods, and of those that
 * expand types, which are made without one: what has a name has them.
 *
 * Reads what is in memory, and calls no function of ECL.
 */
#ifndef MPROF_LISP_METHODS_H
#define MPROF_LISP_METHODS_H

#include <stdint.h>

#include <ecl/ecl.h>

/* Name those that there are now.  Not inside the hook. */
void lisp_methods_name(void);

/* The number of the name of a byte-compiled function, which is that of the
 * generic function if it is a method's.  May run inside the hook. */
uint32_t lisp_methods_number(cl_object bytecodes);

#endif
