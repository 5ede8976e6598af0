/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * sites.h -- which function a call site is in, as code comes and goes.
 *
 * A site is what context_tree.h says: an address in code, or one of the
 * numbers that stand for one.
 */
#ifndef MPROF_SITES_H
#define MPROF_SITES_H

#include <stdbool.h>
#include <stdint.h>

#include <ecl/ecl.h>

/* The function that a site is in; 0 when not known.  Inside the hook. */
uint32_t monitor_function_of(uint64_t site);

/* The same with its role and FUNCTION_HIDDEN or FUNCTION_ROOT, for the tree
 * (a context_tree_function_fn). */
uint32_t sites_function_in_tree(void *closure, uint64_t site,
                                uint32_t caller);

/* Whether that function is another for some callers. */
bool sites_function_depends(uint32_t function);

/* Events: a compiled file was loaded; symbols are about to lose their
 * package, or that its name; the shared object at `base' is about to be
 * unmapped.  Not inside the hook, and without the monitor's lock, which they
 * take. */
void sites_names_added(struct ecl_function_names *names);
void sites_names_lost(void);
void sites_block_unload(cl_object block, void *base);

#endif
