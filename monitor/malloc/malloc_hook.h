/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * malloc_hook.h -- the way that nearly all allocations and frees of a C
 * program take: the chain of calls is one that is known, and so is the leaf
 * of this size; nobody has the stripe locked, and there is room in it.
 *
 * It is written into the interposed functions themselves.  What is different
 * is left to a function that begins anew and is called last, so that nothing
 * has to be saved for it.  An allocation in main and its free are 138
 * instructions without mprof, and 405 with it; with one more function between
 * those here and the interposed ones they were 473.
 */
#ifndef MPROF_MALLOC_HOOK_H
#define MPROF_MALLOC_HOOK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "malloc/malloc_monitor.h"
#include "malloc/object_header.h"
#include "malloc/stripes.h"
#include "malloc/thread_stack.h"

/* ---- the leaf ---- */

static inline uint32_t
size_for_leaf(size_t bytes)
{
  return bytes <= LEAF_MAX_SIZE ? (uint32_t)bytes : (uint32_t)LEAF_LARGE;
}

/* The leaf of an object of `size' that is allocated on that path, if the
 * thread knows it; else 0.  The path has the last one of these; others are
 * most often among the last ones of the thread (76 instructions for a look-up
 * in the tree, 20 for one there). */
HOOK_INLINE uint32_t
known_leaf(struct thread_stack *thread, struct known_path *path,
           uint32_t size)
{
  const struct recent_leaf *recent;
  if (path->leaf != 0 && path->size == size &&
      path->region == thread->regions.region)
    return path->leaf;
  recent = thread_stack_recent_leaf(thread, path->ip, path->context, size);
  if (recent->site != path->ip || recent->up != path->context ||
      recent->size != size || recent->region != thread->regions.region)
    return 0;
  path->size = size;
  path->region = recent->region;
  path->leaf = recent->leaf;
  return recent->leaf;
}

/* ---- figures, with the stripe locked ---- */

/* Bytes of a leaf were allocated, or freed (negative). */
static inline void
add_to_region(uint32_t leaf, int64_t bytes)
{
  const struct context_tree *const tree = &malloc_monitor.tree;
  if (__builtin_expect(malloc_monitor.regions.count > 1, 0)) {
    const uint64_t class = tree->kinds[tree->leaves[leaf].kind].clas;
    struct region *region = &malloc_monitor.regions.regions[class >> 32];
    __atomic_fetch_add(&region->live_bytes, bytes, __ATOMIC_RELAXED);
  }
}

/* Count an allocation of this thread. */
HOOK_INLINE struct counted
count_allocation(struct stripe_user *user, struct stripe *s, uint32_t leaf,
                 uintptr_t address, size_t bytes)
{
  stripe_allocate(s, leaf, bytes);
  add_to_region(leaf, (int64_t)bytes);
  return (struct counted){.leaf = stripe_user_allocates(user, leaf, address),
                          .epoch = stripes.epoch};
}

/* Count the end of an object that this thread frees. */
static inline void
count_end(struct stripe_user *user, struct stripe *s, uintptr_t address,
          owned_leaf leaf, size_t bytes)
{
  const uint32_t number = owned_leaf_number(leaf);
  stripe_free(s, number, bytes);
  s->lives[number].temporary_count += stripe_user_frees(user, leaf, address);
  add_to_region(number, -(int64_t)bytes);
}

/* ---- the hook ---- */

/* Fill the header of the object behind it. */
static inline void
object_header_fill(struct object_header *header, struct counted counted,
                   size_t bytes)
{
  header->check = object_header_check(header + 1);
  header->leaf = counted.leaf;
  header->epoch = counted.epoch;
  header->bytes = bytes & ((UINT64_C(1) << 48) - 1);
}

/* Count an object of `bytes' behind its header; false: it is another case.
 * `frame' is the frame of the interposed function. */
HOOK_INLINE bool
hook_allocated(struct object_header *header, size_t bytes,
               const uintptr_t *frame)
{
  struct thread_stack *const thread = thread_stack_known;
  struct known_path *path;
  struct stripe *s;
  struct counted counted;
  uint32_t leaf;
  if (!malloc_monitor.counting || thread == NULL)
    return false;
  path = call_chain_find(&thread->chain, frame[1], (uintptr_t)(frame + 2),
                         frame[0]);
  leaf = path == NULL ? 0 : known_leaf(thread, path, size_for_leaf(bytes));
  s = thread->user.stripe;
  if (leaf == 0 || !spin_try_lock(&s->lock))
    return false;
  if (__builtin_expect(thread->unloads != stripes.unloads ||
                           !stripe_has_room(s, bytes),
                       0)) {
    spin_unlock(&s->lock);
    return false;
  }
  counted = count_allocation(&thread->user, s, leaf, (uintptr_t)(header + 1),
                             bytes);
  stripe_grow(s);
  spin_unlock(&s->lock);
  object_header_fill(header, counted, bytes);
  return true;
}

/* The end of the object behind the header, whose check was right; the thread
 * is in the monitor then.  False: it is another case, and nothing has
 * changed.
 */
static inline bool
hook_freed(struct object_header *header)
{
  struct thread_stack *const thread = thread_stack_known;
  struct stripe *s;
  if (thread == NULL || header->leaf == 0)
    return false;
  s = thread->user.stripe;
  malloc_monitor_inside++; /* a handler of a signal waits for no lock */
  if (spin_try_lock(&s->lock)) {
    if (__builtin_expect(header->epoch == stripes.epoch && s->open, 1)) {
      header->check = 0;
      count_end(&thread->user, s, (uintptr_t)(header + 1), header->leaf,
                header->bytes);
      spin_unlock(&s->lock);
      return true;
    }
    spin_unlock(&s->lock);
  }
  malloc_monitor_inside--;
  return false;
}

#endif
