/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * marker_stack.h -- which frames of a thread are marked.
 *
 * Model.  To *mark* a frame is to put the address of the return trampoline
 * into its return slot and the real return address here.  Every frame that
 * the walk has seen is marked, unless its function makes its last call
 * (last_call.h) or its first object (first_object.h), or it can be told by a
 * marked one near (call_path.h).  So the next walk goes outward only to the first marked
 * frame: all that lies rootward is known.  When a marked frame returns, the
 * trampoline pops its mark.  Each frame is walked once in its life, and the
 * cost of an allocation does not depend on the depth of the stack.
 *
 * Invariants.
 *  - Marks lie in the order of their frames, the innermost on top.
 *  - A frame is live and known if and only if the walk, which follows linked
 *    frames from the innermost one, finds the trampoline in its return slot:
 *    a CALL writes the slot, so what a dead frame left there is never found
 *    in a live one.
 *  - Marks of frames that were left by a jump (longjmp) stay on the stack,
 *    above every live mark, until the trampoline or the walk drops them.
 *
 * One owner.  All of it may run inside the hook, and in the trampoline.
 */
#ifndef MPROF_MARKER_STACK_H
#define MPROF_MARKER_STACK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "arch/arch.h"
#include "tree/arena.h"

struct marker {
  uintptr_t *slot;          /* of the marked frame; NULL at the bottom */
  uintptr_t return_address; /* what the slot held */
  uint32_t up;              /* context of the call that made the frame */
  uint32_t path;            /* inward of it, on which frames were counted last
                               that are not marked (call_path.h) */
};

/* So many marks have room beyond the limit: who has asked once may put
 * them. */
enum { MARKER_SLACK = 8 };

struct marker_stack {
  struct marker *top;       /* first: the trampoline reads it */
  struct marker *bottom, *limit;
  struct arena arena;
};

/* The marks of this thread; the trampoline finds them here. */
extern _Thread_local struct marker_stack *mprof_markers
    __attribute__((tls_model("initial-exec"), visibility("hidden")));

/* Room for `depth' marks.  Gives back 0, or -1 with errno set. */
int marker_stack_init(struct marker_stack *stack, size_t depth);
void marker_stack_release(struct marker_stack *stack);

/* Whether the frame with this return slot is marked. */
static inline bool
marker_stack_is_marked(const uintptr_t *slot)
{
  return *slot == (uintptr_t)mprof_return_trampoline;
}

/* Whether the frame with this slot is marked and no mark lies above its
 * own. */
static inline bool
marker_stack_top_is(const struct marker_stack *stack, const uintptr_t *slot)
{
  return stack->top->slot == slot && marker_stack_is_marked(slot);
}

/* The mark of a live, marked frame; drops the dead ones above it. */
static inline struct marker *
marker_stack_find(struct marker_stack *stack, const uintptr_t *slot)
{
  while (stack->top->slot != slot)
    stack->top--;
  return stack->top;
}

static inline bool
marker_stack_has_room(const struct marker_stack *stack)
{
  return stack->top < stack->limit;
}

/* Mark the innermost frame so far: there is room. */
static inline void
marker_stack_put(struct marker_stack *stack, uintptr_t *slot, uint32_t up)
{
  struct marker *m = stack->top + 1;
  m->slot = slot;
  m->return_address = *slot;
  m->up = up;
  m->path = 0;
  stack->top = m;
  /* After the mark is on the stack: a signal in between finds both right. */
  __atomic_signal_fence(__ATOMIC_SEQ_CST);
  *slot = (uintptr_t)mprof_return_trampoline;
}

/* The same.  False when there is no room: then it is not marked and will be
 * walked again. */
static inline bool
marker_stack_push(struct marker_stack *stack, uintptr_t *slot, uint32_t up)
{
  if (!marker_stack_has_room(stack))
    return false;
  marker_stack_put(stack, slot, up);
  return true;
}

/* Unmark the live frame whose mark is the top one. */
static inline void
marker_stack_pop(struct marker_stack *stack)
{
  struct marker *m = stack->top;
  *m->slot = m->return_address;
  /* Before the mark goes: as above. */
  __atomic_signal_fence(__ATOMIC_SEQ_CST);
  stack->top = m - 1;
}

/* All marks are known to be dead. */
void marker_stack_drop_all(struct marker_stack *stack);

/* Put the real return addresses back into all slots that still hold a mark,
 * and drop all marks.  Only for the thread's own stack, by itself. */
void marker_stack_restore(struct marker_stack *stack);

/* The same for the live frame with this slot, which is marked, and for all
 * marks above. */
void marker_stack_restore_to(struct marker_stack *stack,
                             const uintptr_t *slot);

#endif
