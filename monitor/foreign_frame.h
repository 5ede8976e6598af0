/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * foreign_frame.h -- frames of code that keeps no frame pointer (libc's
 * qsort, GMP, libffi, callbacks from C).
 *
 * They are stepped over by their call-frame information, through libunwind.
 * For most places in code it says that the frame lies at a fixed distance
 * from the stack or the frame pointer: that is remembered, by return address,
 * for each thread.  (A callback from C for each cons: 3.93 times the
 * instructions of the unpatched ECL with libunwind alone, 1.20 with this and
 * known walks that end at such a frame.)
 *
 * Inside the hook.
 */
#ifndef MPROF_FOREIGN_FRAME_H
#define MPROF_FOREIGN_FRAME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Where the frame of the function that makes the call with return address
 * `ip' keeps what. */
struct foreign_rule {
  uintptr_t ip;             /* 0: none */
  int32_t frame_offset;     /* of the word above the return slot */
  int32_t saved_offset;     /* of the caller's frame pointer from there; 0: it
                               is in the register still */
  bool known;               /* the rest says where; else ask libunwind */
  bool from_frame_pointer;  /* `frame_offset' is from it, not from the stack
                               pointer */
};

enum { FOREIGN_RULES = 256 };

/* The three registers that matter, in the function that made the call with
 * return address `ip'; `sp' just above the return slot of its callee. */
struct foreign_registers {
  uintptr_t ip, sp, frame;
};

enum foreign_step {
  FOREIGN_FRAME,  /* to the caller: *r is changed, its return slot is the
                     word below r->sp */
  FOREIGN_SIGNAL, /* it was interrupted, not called */
  FOREIGN_END,    /* it is the outermost */
  FOREIGN_LOST    /* nothing says where its frame is */
};

/* One frame outward.  `rules' are this thread's, FOREIGN_RULES of them.  A
 * return slot that is marked is not read: r->ip then is the trampoline. */
enum foreign_step foreign_frame_step(struct foreign_rule *rules,
                                     struct foreign_registers *r);

/* Where the frame of the call `ip' keeps its return address, by a rule that
 * depends on the stack pointer only; 0 when there is none so far. */
uintptr_t foreign_frame_distance(struct foreign_rule *rules, uintptr_t ip);

/* The code at some address is another: forget all rules. */
void foreign_frame_forget(struct foreign_rule *rules);

#endif
