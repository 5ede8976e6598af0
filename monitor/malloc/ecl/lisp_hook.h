/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * lisp_hook.h -- the way that nearly all Lisp objects take: as malloc_hook.h,
 * but that no lock is taken.
 */
#ifndef MPROF_LISP_HOOK_H
#define MPROF_LISP_HOOK_H

#include "malloc/count/counting.h"
#include "malloc/ecl/lisp_heap.h"

/* The object of `bytes' was given to a call by the function with that frame.
 * `what' it is, and how many bodies it may get. */
HOOK_INLINE void
lisp_hook_allocated(void *object, size_t bytes, const uintptr_t *frame,
                    uint32_t what, uint32_t bodies)
{
  struct malloc_thread *const thread = malloc_thread_known;
  const uint32_t key = (uint32_t)bytes | what << LEAF_SIZE_BITS;
  struct lisp_thread *lisp;
  struct known_path *path;
  uint32_t leaf = 0;
  if (__builtin_expect(bytes > REQUEST_FIXED_MOST || thread == NULL ||
                           thread->lisp == NULL ||
                           malloc_monitor_inside != 0 ||
                           !malloc_monitor_is_counting(),
                       0))
    goto otherwise;
  lisp = thread->lisp;
  malloc_monitor_inside = 1;
  path = call_chain_find_numbered(&thread->chain, frame[1],
                                  (uintptr_t)(frame + 2), frame[0]);
  if (path != NULL)
    leaf = known_leaf(thread, path, key);
  malloc_monitor_inside = 0;
  if (__builtin_expect(leaf < LEAF_FIRST || leaf >= lisp->room ||
                           lisp->header.object != NULL || bodies != 0 ||
                           thread->unloads != stripes.unloads,
                       0))
    goto otherwise;
  lisp->tallies[leaf].count++;
  return;
otherwise:
  lisp_heap_count_otherwise(object, bytes, frame, what, bodies);
}

#endif
