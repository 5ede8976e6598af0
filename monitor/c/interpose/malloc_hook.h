/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * malloc_hook.h -- the way that nearly all allocations and frees of a C
 * program take: the chain of calls is one that is known, and so is the leaf
 * of this size; nobody has the stripe locked, and there is room in it.
 *
 * It is written into the interposed functions themselves.  What is different
 * is left to a function that begins anew and is called last, so that nothing
 * has to be saved for it.  An allocation in main and its free are 138
 * instructions without mprof, and 412 with it; with one more function between
 * those here and the interposed ones they were 473.
 */
#ifndef MPROF_MALLOC_HOOK_H
#define MPROF_MALLOC_HOOK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "c/count/counting.h"
#include "c/interpose/object_header.h"

/* Count an object of `bytes' behind its header; false: it is another case.
 * `frame' is the frame of the interposed function. */
HOOK_INLINE bool
hook_allocated(struct object_header *header, size_t bytes,
               const uintptr_t *frame)
{
  struct malloc_thread *const thread = malloc_thread_current;
  if (!malloc_monitor_is_counting() || thread == NULL)
    return false;
  struct known_path *path = call_chain_find(&thread->chain, frame[1],
                                            (uintptr_t)(frame + 2), frame[0]);
  uint32_t leaf =
      path == NULL ? 0 : known_leaf(thread, path, size_for_leaf(bytes));
  struct stripe *s = thread->user.stripe;
  if (leaf == 0 || !spin_try_lock(&s->lock))
    return false;
  if (__builtin_expect(thread->generation != stripes.generation ||
                           !stripe_has_room(s, bytes),
                       0)) {
    spin_unlock(&s->lock);
    return false;
  }
  struct counted counted = count_allocation(&thread->user, s, leaf,
                                            (uintptr_t)(header + 1), bytes);
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
  struct malloc_thread *const thread = malloc_thread_current;
  if (thread == NULL || header->leaf == 0)
    return false;
  struct stripe *s = thread->user.stripe;
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
