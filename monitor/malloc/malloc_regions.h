/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * malloc_regions.h -- the named regions of a C program (mprof_region_begin).
 * Each leaf has the number of the region that it was allocated in, in the
 * upper half of the class of its kind.
 *
 * The monitor's lock guards the table, but not what is live.
 */
#ifndef MPROF_MALLOC_REGIONS_H
#define MPROF_MALLOC_REGIONS_H

#include <stdint.h>

#include "arch/attributes.h"
#include "tree/region_table.h"

struct thread_stack;

enum { MALLOC_REGIONS = 4095 }; /* at most */

extern struct region_table malloc_regions HIDDEN;

/* This thread enters a region, or leaves the innermost one. */
void malloc_regions_enter(struct thread_stack *thread, const char *name);
void malloc_regions_leave(struct thread_stack *thread);

/* Objects of `region' were allocated, `bytes' of them, or freed (negative).
 */
static inline void
malloc_regions_add(uint32_t region, int64_t bytes)
{
  if (region != 0)
    __atomic_fetch_add(&malloc_regions.regions[region].live_bytes, bytes,
                       __ATOMIC_RELAXED);
}

#endif
