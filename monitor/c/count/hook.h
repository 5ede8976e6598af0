/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * hook.h -- the steps of a count that the fast path (interpose.c) and the
 * slow one (hook.c) share.  They are inlined in both. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "c/count/monitor.h"
#include "c/count/stripes.h"
#include "c/count/thread.h"

/* ---- the leaf ---- */

/* Returns the leaf of an object of `size' (leaf_size) that is allocated
 * in that region on that path, if the thread knows it; else 0.  The path has
 * the leaf that was last used on it.  Most others are among the recent leaves
 * of the thread (76 instructions for a look-up in the tree, 20 for one
 * there). */
HOOK_INLINE uint32_t
known_leaf(struct thread *thread, struct known_path *path, uint32_t size,
           uint32_t region)
{
  if (path->leaf != 0 && path->size == size && path->region == region)
    return path->leaf;
  const struct recent_leaf *recent =
      thread_recent_leaf(thread, path->ip, path->context, size);
  if (recent->site != path->ip || recent->up != path->context ||
      recent->size != size || recent->region != region ||
      recent->cache_generation != thread->cache_generation)
    return 0;
  path->size = size;
  path->region = recent->region;
  path->leaf = recent->leaf;
  return recent->leaf;
}

/* ---- figures, with the stripe locked ---- */

/* Adds the bytes of an object of the leaf, negative if it is freed, to
 * live_bytes of its region and of those around it. */
static inline void
add_to_region(uint32_t leaf, int64_t bytes)
{
  const struct context_tree *const tree = &monitor.tree;
  struct region *const regions =
      __atomic_load_n(&monitor.regions.regions, __ATOMIC_RELAXED);
  if (__builtin_expect(regions != NULL, 0)) {
    uint32_t region = context_tree_kind(tree, &tree->leaves[leaf])->region;
    for (; region != 0; region = regions[region].parent)
      __atomic_fetch_add(&regions[region].live_bytes, bytes,
                         __ATOMIC_RELAXED);
  }
}

/* Counts an object of `bytes', as requested, that this thread allocates.
 * Returns what monitor_freed is to be given for it. */
HOOK_INLINE struct counted
count_allocation(struct stripe_user *user, struct stripe *s, uint32_t leaf,
                 uintptr_t address, size_t bytes)
{
  stripe_count(s, leaf, &s->counters[leaf].allocated, &s->count, bytes,
               (int64_t)bytes);
  add_to_region(leaf, (int64_t)bytes);
  return (struct counted){.leaf = stripe_user_allocates(user, leaf, address),
                          .epoch = stripes.epoch};
}

/* Counts the end of an object that this thread frees. */
static inline void
count_end(struct stripe_user *user, struct stripe *s, uintptr_t address,
          owned_leaf leaf, size_t bytes)
{
  const uint32_t number = owned_leaf_number(leaf);
  struct leaf_counters *const c = &s->counters[number];
  stripe_count(s, number, &c->freed, &s->freed_count, bytes, -(int64_t)bytes);
  c->temporary_count += stripe_user_frees(user, leaf, address);
  add_to_region(number, -(int64_t)bytes);
}
