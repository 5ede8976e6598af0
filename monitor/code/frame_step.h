/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * frame_step.h -- from an active function to its caller, by call-frame
 * information.
 *
 * Model.  A *frame* here is a function that has made a call: the address
 * where it goes on when that returns, and its stack pointer and its frame
 * pointer there.  What these are for its caller follows by the rule for the
 * address (frame_rule.h) from the two registers and at most two words of the
 * stack: the return address and the saved frame pointer.
 *
 * The few frames that no rule describes (functions that realign their stack
 * by an expression, the dynamic linker's trampoline) are left to the
 * compiler's own unwinder, which knows all registers.  It begins at the
 * innermost frame and so is slow.
 *
 * Runs inside the hook: takes no memory but the kernel's. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "arch/arch.h"
#include "code/frame_rule.h"

struct stack_frame {
  uintptr_t ip;           /* the return address of its call */
  uintptr_t sp;           /* at that call: the end of the frame further in */
  uintptr_t pointer;      /* the register, whatever it is used for */
  const uintptr_t *slot;  /* where `ip' was read */
  const uintptr_t *saved; /* where `pointer' was read; NULL: as it was in the
                             frame further in, or recovered otherwise */
  bool interrupted;       /* `ip' is no return address: a signal came there */
  bool certain;           /* it follows from the frame further in and from
                             the words at `slot' and at `saved' alone */
  bool by_pointer;        /* the frame further in needs its frame pointer to
                             find this one */
};

enum frame_step {
  FRAME_STEP_CALLER,
  FRAME_STEP_SIGNAL,    /* the kernel called the function: *to is what the
                           signal interrupted */
  FRAME_STEP_OUTERMOST, /* it has no caller */
  FRAME_STEP_LOST       /* nothing says where its caller is */
};

/* Return addresses are below; the bits above tell other sites from them. */
#define FRAME_CODE_END (UINT64_C(1) << 56)

/* Goes one frame outward, as frame_step does, by a rule with a `base' beyond
 * FRAME_FROM_POINTER.  to->certain is true only after FRAME_UNKNOWN. */
enum frame_step frame_step_otherwise(enum frame_base base,
                                     const struct stack_frame *from,
                                     struct stack_frame *to);

/* Goes one frame outward where from->sp is only a lower bound of the stack
 * pointer: by the frame pointer, or slowly.  Sets to->ip, to->sp and
 * to->pointer; for FRAME_STEP_SIGNAL nothing. */
enum frame_step frame_step_by_pointer(const struct stack_frame *from,
                                      struct stack_frame *to);

/* Returns the result of a step that has read `ip'. */
static inline enum frame_step
frame_step_to(uintptr_t ip)
{
  if (__builtin_expect(ip - 1 < FRAME_CODE_END - 1, 1))
    return FRAME_STEP_CALLER;
  return ip == 0 ? FRAME_STEP_OUTERMOST : FRAME_STEP_LOST;
}

/* Goes one frame outward.  Reads `ip', `sp', `pointer', `slot' and
 * `interrupted' of *from, and sets *to; for FRAME_STEP_LOST only
 * to->by_pointer is good.  For FRAME_STEP_OUTERMOST to->certain is true if
 * the return address at to->slot was 0. */
static inline enum frame_step
frame_step(const struct stack_frame *from, struct stack_frame *to)
{
  const struct frame_rule rule = frame_rule_find(from->ip, from->interrupted);
  if (__builtin_expect(rule.base > FRAME_FROM_POINTER, 0))
    return frame_step_otherwise((enum frame_base)rule.base, from, to);
  to->by_pointer = rule.base == FRAME_FROM_POINTER;
  to->sp = (to->by_pointer ? from->pointer : from->sp) + rule.offset;
  to->interrupted = false;
  to->certain = true;
  if (__builtin_expect(to->sp <= from->sp, 0))
    return FRAME_STEP_LOST;
  to->slot = (const uintptr_t *)to->sp + rule.returns;
  to->ip = arch_return_address(*to->slot);
  to->pointer = from->pointer;
  to->saved = NULL;
  if (rule.saved != 0) {
    to->saved = (const uintptr_t *)to->sp + rule.saved;
    to->pointer = *to->saved;
  }
  return frame_step_to(to->ip);
}

/* Returns whether the program can read the word at AT; asks the kernel, and
 * returns false after arenas_seal. */
bool frame_is_readable(const uintptr_t *at);
