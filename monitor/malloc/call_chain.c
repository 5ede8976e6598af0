/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * call_chain.c -- rules are found once for each return address and shared by
 * all threads.  The few frames that no rule describes (functions that realign
 * their stack by an expression, the dynamic linker's trampoline) are left to
 * the compiler's own unwinder, which knows all registers; as that begins at
 * the innermost frame, it is slow, but it is asked only when such a frame is
 * new on the stack.
 */
#include "malloc/call_chain.h"

#include <pthread.h>
#include <string.h>
#include <unwind.h>

#include "arch/registers.h"
#include "malloc/rule_cache.h"

enum { FRAMES = 1 << 20 }; /* on a stack, at most: address space only */

/* ---- steps ---- */

enum step { STEP_CALLER, STEP_OUTERMOST, STEP_LOST };

/* The compiler's unwinder on its way to `from' and one frame further. */
struct search {
  const struct call_frame *from;
  struct call_frame *to;
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
    *s->to = (struct call_frame){
        .ip = ip,
        .sp = sp,
        .frame = _Unwind_GetGR(context, ARCH_REGISTER_FRAME_POINTER),
        .interrupted = interrupted != 0};
    s->done = true;
    return _URC_NORMAL_STOP;
  }
  s->found = ip == s->from->ip && sp == s->from->sp;
  return _URC_NO_REASON;
}

static enum step
step_elsewhere(const struct call_frame *from, struct call_frame *to)
{
  struct search s = {.from = from, .to = to};
  _Unwind_Backtrace(search_frame, &s);
  if (s.done && to->ip != 0)
    return STEP_CALLER;
  return s.found ? STEP_OUTERMOST : STEP_LOST;
}

/* Where the stack that `sp' is on ends, when it is one of the C library's;
 * else 0. */
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
 * program: it has a frame pointer, or nothing can be said.  The dynamic
 * linker's first function, which runs constructors, has neither; but then the
 * stack is as good as empty. */
enum { STACK_OF_LINKER = 64 };

static enum step
step_by_pointer(struct call_chain *chain, const struct call_frame *from,
                struct call_frame *to)
{
  const uintptr_t *at = (const uintptr_t *)from->frame;
  if (chain->stack_end < from->sp)
    chain->stack_end = end_of_stack(from->sp);
  if (chain->stack_end < from->sp)
    return STEP_LOST;
  if (chain->stack_end - from->sp < STACK_OF_LINKER)
    return STEP_OUTERMOST;
  if (from->frame < from->sp || from->frame % sizeof *at != 0 ||
      from->frame + 2 * sizeof *at > chain->stack_end)
    return STEP_LOST;
  to->ip = at[1];
  to->sp = from->frame + 2 * sizeof *at;
  to->frame = at[0];
  return to->ip != 0 ? STEP_CALLER : STEP_OUTERMOST;
}

/* A step that no rule describes. */
static enum step __attribute__((noinline))
step_otherwise(struct call_chain *chain, enum frame_base base,
               const struct call_frame *from, struct call_frame *to)
{
  *to = (struct call_frame){0};
  switch (base) {
  case FRAME_OUTERMOST:
    return STEP_OUTERMOST;
  case FRAME_OF_SIGNAL:
    arch_interrupted(from->sp, &to->ip, &to->sp, &to->frame);
    to->interrupted = true;
    return STEP_CALLER;
  case FRAME_UNKNOWN:
    return step_by_pointer(chain, from, to);
  default:
    return step_elsewhere(from, to);
  }
}

/* From one frame to the next outward; all of *to is set. */
static inline enum step
step(struct call_chain *chain, const struct call_frame *from,
     struct call_frame *to)
{
  const struct known_rule rule =
      rule_cache_find(rule_key(from->ip, from->interrupted));
  const enum frame_base base = known_rule_base(&rule);
  const int32_t saved = known_rule_saved(&rule);
  if (__builtin_expect(base > FRAME_FROM_POINTER, 0))
    return step_otherwise(chain, base, from, to);
  to->sp = (base == FRAME_FROM_STACK ? from->sp : from->frame) +
           (uintptr_t)(intptr_t)rule.offset;
  if (__builtin_expect(to->sp <= from->sp, 0))
    return STEP_LOST;
  to->ip = ((const uintptr_t *)to->sp)[-1];
  to->frame = from->frame;
  to->saved = 0;
  if (saved != 0) {
    to->saved = to->sp + (uintptr_t)(intptr_t)saved;
    to->frame = *(const uintptr_t *)to->saved;
  }
  to->context = 0;
  to->interrupted = false;
  to->certain = true;
  return to->ip != 0 ? STEP_CALLER : STEP_OUTERMOST;
}

/* ---- walks ---- */

int
call_chain_init(struct call_chain *chain)
{
  memset(chain, 0, sizeof *chain);
  if (arena_reserve(&chain->arena, 2 * FRAMES * sizeof *chain->frames) != 0)
    return -1;
  chain->frames = chain->arena.base;
  chain->fresh = chain->frames + FRAMES;
  return 0;
}

void
call_chain_release(struct call_chain *chain)
{
  arena_release(&chain->arena);
}

void
call_chain_forget(struct call_chain *chain)
{
  chain->depth = 0;
}

/* Put `f' into the chain.  So that all frames are compared alike, one whose
 * frame pointer came from the register says that it was read from there, and
 * one that is not certain that it was read from where something else is. */
static inline void
keep(struct call_frame *to, const struct call_frame *f)
{
  *to = *f;
  if (to->saved == 0)
    to->saved = (uintptr_t)&to->frame;
  if (!to->certain) {
    to->never = ~to->frame;
    to->saved = (uintptr_t)&to->never;
  }
}

/* The frame frames[count - 1] is where it was.  So are all from
 * frames[result] on; 0 when all are. */
static inline size_t
first_unchanged(const struct call_frame *frames, size_t count)
{
  const struct call_frame *f = frames + count - 1;
  while (f > frames) {
    const struct call_frame *out = f - 1;
    if (((const uintptr_t *)out->sp)[-1] != out->ip ||
        *(const uintptr_t *)out->saved != out->frame)
      break;
    f = out;
  }
  return (size_t)(f - frames);
}

/* Take a kept frame for one of the new ones. */
static inline void
unkeep(struct call_frame *to, const struct call_frame *kept)
{
  *to = *kept;
  if (to->saved == (uintptr_t)&kept->frame ||
      to->saved == (uintptr_t)&kept->never)
    to->saved = 0;
}

static inline bool
same_place(const struct call_frame *a, const struct call_frame *b)
{
  return a->sp == b->sp && a->ip == b->ip && a->frame == b->frame &&
         a->interrupted == b->interrupted;
}

/* The walk when something has changed. */
static void
walk(struct call_chain *chain, uintptr_t ip, uintptr_t sp, uintptr_t frame)
{
  struct call_frame *const frames = chain->frames;
  struct call_frame *at = chain->fresh; /* new ones from there to here */
  struct call_frame *const last = chain->fresh + FRAMES - 1;
  size_t kept = chain->depth; /* frames[kept - 1] may still be met */
  enum step s = STEP_CALLER;
  *at = (struct call_frame){.ip = ip, .sp = sp, .frame = frame};
  while (s == STEP_CALLER) {
    while (kept > 0 && frames[kept - 1].sp < at->sp)
      kept--;
    if (kept > 0 && same_place(&frames[kept - 1], at)) {
      const size_t unchanged = first_unchanged(frames, kept);
      at->context = frames[kept - 1].context;
      keep(&frames[kept - 1], at); /* read from elsewhere, perhaps */
      if (unchanged == 0)
        break;
      for (; kept > unchanged; kept--)
        unkeep(at++, &frames[kept - 1]);
      at--;
    }
    s = at < last ? step(chain, at, at + 1) : STEP_LOST;
    at++;
  }
  if (s != STEP_CALLER) {
    kept = 0;
    chain->complete = s == STEP_OUTERMOST;
  }
  chain->known = kept;
  while (at > chain->fresh && kept < FRAMES)
    keep(&frames[kept++], --at);
  chain->depth = kept;
}

/* Most allocations are made where the last one was: then the walk is over
 * when all frames have been compared. */
void
call_chain_walk(struct call_chain *chain, uintptr_t ip, uintptr_t sp,
                uintptr_t frame)
{
  const size_t depth = chain->depth;
  struct call_frame *innermost = &chain->frames[depth - 1];
  if (depth > 0 && innermost->sp == sp && innermost->ip == ip &&
      innermost->frame == frame && !innermost->interrupted &&
      first_unchanged(chain->frames, depth) == 0) {
    chain->known = depth;
  } else {
    walk(chain, ip, sp, frame);
  }
}
