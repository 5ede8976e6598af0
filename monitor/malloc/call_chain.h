/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * call_chain.h -- the calls that are active in a thread of a C program,
 * walked anew at each allocation, but only as far as they have changed.
 *
 * Model.  A *frame* here is a call that has not returned: the return address
 * `ip' in the calling function, with the stack pointer and the frame pointer
 * of that function behind the call.  What the next frame outward is follows
 * from these three by the rule for `ip' (frame_rule.h) and from at most two
 * words of the stack: the return address and the saved frame pointer.
 *
 * So the frames of the last walk are kept, with the places of these words.  A
 * new walk steps outward until it meets a frame that is kept with all three
 * registers; then each frame further out is the same as before exactly if its
 * two words are.  To compare them is a few instructions a frame, where a step
 * is some thirty; and where nothing has changed, the context is known.
 *
 * Each frame has room for the number of its context, which the walk carries
 * along but never looks at.
 *
 * One owner, a thread.  Runs inside the hook.
 */
#ifndef MPROF_CALL_CHAIN_H
#define MPROF_CALL_CHAIN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "arena.h"

struct call_frame {
  uintptr_t ip, sp, frame; /* of the calling function, behind the call */
  uintptr_t saved;  /* where `frame' was read from; 0: from the register */
  uintptr_t never;  /* something else than `frame', for one not certain */
  uint32_t context; /* of the path that ends here; the owner's */
  bool interrupted; /* `ip' is no return address: a signal came there */
  bool certain;     /* it follows from the frame further in */
};

struct call_chain {
  struct arena arena;
  struct call_frame *frames; /* the outermost first */
  size_t depth;
  size_t known;  /* so many of them are where they were in the last walk, and
                    all that are further out as well */
  bool complete; /* the walk has reached the beginning of the stack */
  struct call_frame *fresh; /* scratch: the innermost first */
  uintptr_t stack_end;      /* no frame is beyond; 0: not known yet */
};

/* An empty chain.  Gives back 0, or -1 with errno set. */
int call_chain_init(struct call_chain *chain);
void call_chain_release(struct call_chain *chain);

/* Walk from the call that returns to `ip'; `sp' and `frame' as struct
 * call_frame has them. */
void call_chain_walk(struct call_chain *chain, uintptr_t ip, uintptr_t sp,
                     uintptr_t frame);

/* The next walk knows nothing of the last one. */
void call_chain_forget(struct call_chain *chain);

#endif
