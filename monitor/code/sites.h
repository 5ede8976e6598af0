/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * sites.h -- which function a call site of a Lisp program is in.
 *
 * A site is what context_tree.h says: an address in code, or one of the
 * numbers that stand for one.
 *
 * APPLY counts as two functions.  Functions of CLOS call methods by it, and
 * that APPLY is a part of them, a function of the runtime: shown, one APPLY
 * would stand above every method and below every caller of one, and make a
 * cycle of them all.  In a profile its sites are told from the others by
 * SITE_PASSING.
 */
#ifndef MPROF_SITES_H
#define MPROF_SITES_H

#include <stdbool.h>
#include <stdint.h>

#include "code/code_functions.h"

/* The number of the function that a site is in; 0 when it is not known.
 * Inside the hook. */
uint32_t site_function_number(uint64_t site);

/* The number of the function that a site is in when it is called by the
 * function `caller', with its role and FUNCTION_HIDDEN or FUNCTION_ROOT (a
 * context_tree_function_fn).  Inside the hook. */
uint32_t site_function_in_tree(void *closure, uint64_t site,
                               uint32_t caller);

/* The function with a number of the above, perhaps one that says that it is
 * not known.  Valid until the next call.  Names of objects are printed now if
 * they were not: not inside the hook. */
const struct code_function *site_function(uint32_t number);

/* Whether that function is another for some callers.  Inside the hook. */
bool site_function_depends(uint32_t function);

#endif
