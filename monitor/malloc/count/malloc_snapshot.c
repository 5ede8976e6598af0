/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * malloc_snapshot.c -- see malloc_snapshot.h.
 *
 * Cost: 80 bytes a leaf.  Threads wait for as long as it takes to add up what
 * the stripes have; the pages are there before.
 */
#include "malloc/count/malloc_snapshot.h"

#include <string.h>
#include <time.h>

enum { SOME_LEAVES = 1024 }; /* that are made meanwhile */

static struct malloc_snapshot
settled(struct leaf_figures *leaves)
{
  struct malloc_monitor *const m = &malloc_monitor;
  struct malloc_snapshot f = {.leaves = leaves};
  f.total = malloc_monitor_settle(m, leaves);
  f.tree = m->tree;
  f.regions = m->regions;
  f.lost_objects = m->lost_objects;
  return f;
}

struct malloc_snapshot
malloc_snapshot_now(void)
{
  return settled(NULL);
}

static void
copy_regions(struct malloc_snapshot *f, struct arena *arena)
{
  if (f->regions.regions == NULL)
    return;
  memcpy(arena->base, f->regions.regions,
         f->regions.count * sizeof(struct region));
  f->regions.regions = arena->base;
}

static uint64_t
now(void)
{
  struct timespec time = {0};
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (uint64_t)time.tv_sec * 1000000000 + (uint64_t)time.tv_nsec;
}

/* With memory for so many leaves.  False: there are more by now. */
static bool
copy(struct malloc_snapshot *f, struct arena *leaves, struct arena *regions,
     uint32_t room)
{
  struct malloc_monitor *const m = &malloc_monitor;
  uint64_t begin;
  bool enough;
  spin_lock(&m->lock);
  stripes_lock();
  begin = now();
  enough = m->tree.leaf_count <= room;
  if (enough) {
    *f = settled(leaves->base);
    copy_regions(f, regions);
    f->stopped_ns = now() - begin;
  }
  stripes_unlock();
  spin_unlock(&m->lock);
  return enough;
}

static bool
take(struct malloc_snapshot *f)
{
  struct arena leaves, regions;
  uint32_t room;
  if (arena_reserve(&regions, (MALLOC_REGIONS + 1) * sizeof(struct region)) !=
      0)
    return false;
  for (;;) {
    room =
        __atomic_load_n(&malloc_monitor.tree.leaf_count, __ATOMIC_RELAXED) +
        SOME_LEAVES;
    if (arena_reserve_pages(&leaves, room * sizeof(struct leaf_figures)) != 0)
      break;
    if (copy(f, &leaves, &regions, room)) {
      f->leaf_arena = leaves;
      f->region_arena = regions;
      return true;
    }
    arena_release(&leaves);
  }
  arena_release(&regions);
  return false;
}

bool
malloc_snapshot_take(struct malloc_snapshot *figures)
{
  spin_lock(&malloc_monitor.steady);
  if (take(figures))
    return true;
  spin_unlock(&malloc_monitor.steady);
  return false;
}

void
malloc_snapshot_release(struct malloc_snapshot *figures)
{
  spin_unlock(&malloc_monitor.steady);
  arena_release(&figures->leaf_arena);
  arena_release(&figures->region_arena);
}
