/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * clos_dispatch.h -- what stands between a generic function and its methods.
 *
 * Functions of CLOS that only pass the arguments on, and the APPLY by which
 * they do.  Shown, they would be one function from every generic function to
 * every method, and would tie the whole program into one cycle.  So the
 * functions are marked `passes_on', and an APPLY that one of them calls
 * counts as another function than APPLY (code_index_called).
 */
#ifndef MPROF_CLOS_DISPATCH_H
#define MPROF_CLOS_DISPATCH_H

#include <stdbool.h>
#include <stdint.h>

/* Whether a function with this Lisp name only passes its arguments on. */
bool is_clos_dispatch(const char *name);

/* The function with this number is APPLY.  Under the monitor's lock, not
 * inside the hook. */
void clos_dispatch_set_apply(uint32_t function);

#endif
