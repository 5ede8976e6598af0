/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * frame_step.c -- the steps that no rule describes. */
#include "code/frame_step.h"

#include <errno.h>
#include <pthread.h>
#include <sys/syscall.h>
#include <unwind.h>

#include "image/arena.h"

/* ---- by the compiler's unwinder ---- */

enum { SMALLEST_PAGE = 4096 }; /* of any kernel */

/* Of the unwinder, which goes to the frame `from' and one further. */
struct search {
  const struct stack_frame *from;
  struct stack_frame *to;
  bool exact; /* from->sp is its stack pointer, not a lower bound */
  bool found, done;
};

static _Unwind_Reason_Code
search_frame(struct _Unwind_Context *context, void *data)
{
  struct search *s = data;
  int interrupted = 0;
  const uintptr_t ip = _Unwind_GetIPInfo(context, &interrupted);
  const uintptr_t sp = _Unwind_GetCFA(context);
  if (s->found) {
    s->to->ip = ip;
    s->to->sp = sp;
    s->to->pointer = _Unwind_GetGR(context, ARCH_REGISTER_FRAME_POINTER);
    s->to->interrupted = interrupted != 0;
    s->done = true;
    return _URC_NORMAL_STOP;
  }
  s->found =
      ip == s->from->ip &&
      (s->exact ? sp == s->from->sp
                : sp >= s->from->sp &&
                      _Unwind_GetGR(context, ARCH_REGISTER_FRAME_POINTER) ==
                          s->from->pointer);
  return _URC_NO_REASON;
}

static enum frame_step
step_by_unwinder(const struct stack_frame *from, struct stack_frame *to,
                 bool exact)
{
  struct search s = {.from = from, .to = to, .exact = exact};
  _Unwind_Backtrace(search_frame, &s);
  if (s.done)
    return frame_step_to(to->ip);
  return s.found ? FRAME_STEP_OUTERMOST : FRAME_STEP_LOST;
}

/* ---- by the frame pointer ---- */

/* Returns where the stack that SP is on ends, if it is one of the C
 * library's; 0 if it cannot be.  A stack that the program has made elsewhere
 * may end before that. */
static uintptr_t
end_of_stack(uintptr_t sp)
{
  extern void *__libc_stack_end;
  const uintptr_t program = (uintptr_t)__libc_stack_end;
  const uintptr_t thread = (uintptr_t)pthread_self();
  const uintptr_t largest = (uintptr_t)1 << 32;
  if (sp < thread && thread - sp < largest &&
      !(sp <= program && program < thread))
    return thread; /* its control block is at the end of its stack */
  return sp <= program && program - sp < largest ? program : 0;
}

/* Code without call-frame information, such as that of a compiler in the
 * program: it has a frame pointer, or its caller is unknown.  The dynamic
 * linker's first function, which runs constructors, has neither; but then the
 * stack is as good as empty. */
enum { STACK_OF_LINKER = 64 };

/* Returns whether the frame is on the page of the stack pointer. */
static bool
is_near(const struct stack_frame *f)
{
  const uintptr_t page = -(uintptr_t)SMALLEST_PAGE;
  return (f->sp & page) == ((f->pointer + 2 * sizeof(uintptr_t) - 1) & page);
}

/* Asks the kernel to read a set of signals there, and to do with it what it
 * refuses. */
bool
frame_is_readable(const uintptr_t *at)
{
  const long arguments[6] = {-1, (long)(intptr_t)at, 0, sizeof *at};
  return !arenas_are_sealed() &&
         arch_system_call(SYS_rt_sigprocmask, arguments) != -EFAULT;
}

/* Returns the caller's stack pointer: what is above the two words of a frame
 * may be a part of it, and then the frame of the caller tells. */
static uintptr_t
stack_of_caller(const struct stack_frame *from, const struct stack_frame *to)
{
  const struct frame_rule rule = frame_rule_find(to->ip, false);
  return !ARCH_FRAME_IS_AT_TOP && rule.framed && rule.base == FRAME_FROM_STACK
             ? (uintptr_t)((uintptr_t *)to->pointer - rule.saved) -
                   rule.offset
             : from->pointer + 2 * sizeof(uintptr_t);
}

static enum frame_step
step_by_pointer(const struct stack_frame *from, struct stack_frame *to)
{
  const uintptr_t *at = (const uintptr_t *)from->pointer;
  const uintptr_t end = end_of_stack(from->sp);
  if (end < from->sp)
    return FRAME_STEP_LOST;
  if (end - from->sp < STACK_OF_LINKER)
    return FRAME_STEP_OUTERMOST;
  if (from->pointer < from->sp || from->pointer % sizeof *at != 0 ||
      from->pointer + 2 * sizeof *at > end ||
      !(is_near(from) ||
        (frame_is_readable(at) && frame_is_readable(at + 1))))
    return FRAME_STEP_LOST;
  to->slot = at + 1;
  to->ip = arch_return_address(at[1]);
  to->pointer = at[0];
  to->sp = stack_of_caller(from, to);
  to->saved = at;
  to->certain = true;
  return frame_step_to(to->ip);
}

/* Steps from a function that was interrupted before it had saved its return
 * address, or has called none. */
static enum frame_step
step_by_link(const struct stack_frame *from, struct stack_frame *to)
{
  const struct frame_rule rule = frame_rule_find(from->ip, from->interrupted);
  if (!from->interrupted)
    return FRAME_STEP_LOST;
  to->sp = from->sp + rule.offset;
  to->slot = arch_link(from->slot);
  to->ip = arch_return_address(*to->slot);
  to->pointer = rule.saved == 0 ? from->pointer
                                : ((const uintptr_t *)to->sp)[rule.saved];
  return frame_step_to(to->ip);
}

enum frame_step
frame_step_by_pointer(const struct stack_frame *from, struct stack_frame *to)
{
  const struct frame_rule rule = frame_rule_find(from->ip, false);
  struct stack_frame in = *from;
  if (rule.base == FRAME_OF_SIGNAL)
    return FRAME_STEP_SIGNAL;
  if (rule.base <= FRAME_ELSEWHERE)
    return step_by_unwinder(from, to, false);
  in.sp = from->pointer;
  return frame_step_otherwise(rule.base, &in, to);
}

enum frame_step
frame_step_otherwise(enum frame_base base, const struct stack_frame *from,
                     struct stack_frame *to)
{
  *to = (struct stack_frame){.by_pointer = base != FRAME_OUTERMOST};
  switch (base) {
  case FRAME_OUTERMOST:
    return FRAME_STEP_OUTERMOST;
  case FRAME_OF_SIGNAL:
    to->slot = arch_interrupted(from->sp, &to->ip, &to->sp, &to->pointer);
    to->interrupted = true;
    return FRAME_STEP_SIGNAL;
  case FRAME_LINKED:
    return step_by_link(from, to);
  case FRAME_UNKNOWN:
    return step_by_pointer(from, to);
  default: /* the unwinder may have the kernel's record for a signal */
    return step_by_unwinder(from, to,
                            ARCH_FRAME_IS_AT_TOP || !from->interrupted);
  }
}
