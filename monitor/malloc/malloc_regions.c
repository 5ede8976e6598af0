/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * malloc_regions.c -- see malloc_regions.h.
 */
#include "malloc/malloc_regions.h"

#include "malloc/malloc_monitor.h"
#include "malloc/thread_stack.h"

struct region_table malloc_regions;

void
malloc_regions_enter(struct thread_stack *thread, const char *name)
{
  spin_lock(&malloc_monitor.lock);
  region_enter(&malloc_regions, MALLOC_REGIONS, &thread->regions, name);
  spin_unlock(&malloc_monitor.lock);
}

void
malloc_regions_leave(struct thread_stack *thread)
{
  spin_lock(&malloc_monitor.lock);
  region_leave(&malloc_regions, &thread->regions, true);
  spin_unlock(&malloc_monitor.lock);
}
