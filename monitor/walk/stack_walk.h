/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * stack_walk.h -- from an allocator's frame to a context.
 */
#ifndef MPROF_STACK_WALK_H
#define MPROF_STACK_WALK_H

#include <stdbool.h>
#include <stdint.h>

#include "hook/thread_state.h"

struct walk_result {
  uint64_t site;     /* in the allocating function */
  uint32_t up;       /* context of the call that made its frame */
  bool activation;   /* its frame is seen for the first time */
};

/* Walk outward from `frame', the allocator's own frame, to the first marked
 * frame; mark the frames on the way that may allocate again, and count each
 * as one activation in the thread's tree, but for the innermost one, which
 * the caller counts (it makes the leaf).  `counted': an earlier walk, during
 * this call of the allocator, has counted the frames.  Inside the hook. */
struct walk_result stack_walk(struct thread_state *thread, uintptr_t frame,
                              bool counted);

#endif
