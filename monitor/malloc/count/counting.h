/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * counting.h -- the parts of a count that the hook and what it leaves have in
 * common, written into both.
 */
#ifndef MPROF_COUNTING_H
#define MPROF_COUNTING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "malloc/count/malloc_monitor.h"
#include "malloc/count/malloc_thread.h"
#include "malloc/count/stripes.h"

/* ---- the life ---- */

enum { LEAF_SIZE_BITS = 12 };

static inline uint32_t
size_for_leaf(size_t bytes)
{
  return bytes <= LEAF_MAX_SIZE ? (uint32_t)bytes : (uint32_t)LEAF_LARGE;
}

/* The life of an object of `size' that is allocated on that path, or the leaf
 * of one of another heap (then what it is is above LEAF_SIZE_BITS), if the
 * thread knows it;
 * else 0.  The path has the last one of these; others are
 * most often among the last ones of the thread (76 instructions for a look-up
 * in the tree, 20 for one there). */
HOOK_INLINE uint32_t
known_life(struct malloc_thread *thread, struct known_path *path,
           uint32_t size)
{
  const struct recent_leaf *recent;
  if (path->life != 0 && path->size == size &&
      path->region == thread->regions.region)
    return path->life;
  recent = malloc_thread_recent_leaf(thread, path->site, path->context, size);
  if (recent->site != path->site || recent->up != path->context ||
      recent->size != size || recent->region != thread->regions.region ||
      recent->forgotten != thread->forgotten)
    return 0;
  path->size = size;
  path->region = recent->region;
  path->life = recent->life;
  return recent->life;
}

/* ---- figures, with the stripe locked ---- */

/* Bytes of a life were allocated, or freed (negative). */
static inline void
add_to_region(uint32_t life, int64_t bytes)
{
  const struct context_tree *const tree = &malloc_monitor.tree;
  const uint32_t regions =
      __atomic_load_n(&malloc_monitor.regions.count, __ATOMIC_RELAXED);
  if (__builtin_expect(regions > 1, 0)) {
    const uint32_t leaf = leaf_lives_leaf(&malloc_monitor.lives, life);
    const uint64_t class = tree->kinds[tree->leaves[leaf].kind].clas;
    struct region *region = &malloc_monitor.regions.regions[class >> 32];
    __atomic_fetch_add(&region->live_bytes, bytes, __ATOMIC_RELAXED);
  }
}

/* Count an allocation of this thread. */
HOOK_INLINE struct counted
count_allocation(struct stripe_user *user, struct stripe *s, uint32_t life,
                 uintptr_t address, size_t bytes)
{
  stripe_allocate(s, life, bytes);
  add_to_region(life, (int64_t)bytes);
  return (struct counted){.life = stripe_user_allocates(user, life, address),
                          .epoch = stripes.epoch};
}

/* Count the end of an object that this thread frees. */
static inline void
count_end(struct stripe_user *user, struct stripe *s, uintptr_t address,
          owned_life life, size_t bytes)
{
  const uint32_t number = owned_life_number(life);
  stripe_free(s, number, bytes);
  s->lives[number].temporary_count += stripe_user_frees(user, life, address);
  add_to_region(number, -(int64_t)bytes);
}

#endif
