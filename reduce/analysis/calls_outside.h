/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Calls outside of profiled bodies: are they on the way to one, and so of no
 * interest, or elsewhere, say in another thread?
 *
 * A call of a chain that leads to the function that runs bodies, and to no
 * allocation elsewhere, does not count.  The monitor folds recursion, and
 * writes a folded call with a chain that no allocation has; but folding keeps
 * every arc.  So a call of a chain that leads to neither counts if its last
 * arc leads to allocations elsewhere.
 */

#ifndef MPROF_CALLS_OUTSIDE_H
#define MPROF_CALLS_OUTSIDE_H

#include "analysis/selection.h"

enum { CALLS_DO_NOT_COUNT = 0x80 }; /* in selection->states */

/* Marks the nodes of SELECTION whose calls do not count.  False when memory
 * runs out. */
bool calls_outside_find(struct selection *selection);

/* Whether the calls of NODE count. */
static inline bool
calls_count(const struct selection *selection, uint32_t node)
{
  return (selection->states[node] & CALLS_DO_NOT_COUNT) == 0;
}

#endif
