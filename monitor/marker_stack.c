/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * marker_stack.c -- an array with a sentinel at the bottom.
 */
#include "marker_stack.h"

#include "arch/arch.h"

/* arch/x86_64.S knows these. */
_Static_assert(offsetof(struct marker_stack, top) == 0, "trampoline");
_Static_assert(offsetof(struct marker, slot) == 0, "trampoline");
_Static_assert(offsetof(struct marker, return_address) == 8, "trampoline");
_Static_assert(sizeof(struct marker) == 24, "trampoline");

_Thread_local struct marker_stack *mprof_markers;

int
marker_stack_init(struct marker_stack *stack, size_t depth)
{
  if (arena_reserve(&stack->arena, (depth + 1) * sizeof(struct marker)) != 0)
    return -1;
  stack->bottom = stack->arena.base;
  stack->top = stack->bottom;
  stack->limit = stack->bottom + depth;
  return 0;
}

void
marker_stack_release(struct marker_stack *stack)
{
  arena_release(&stack->arena);
  stack->top = stack->bottom = stack->limit = NULL;
}

bool
marker_stack_is_marked(const uintptr_t *slot)
{
  return *slot == (uintptr_t)mprof_return_trampoline;
}

struct marker *
marker_stack_find(struct marker_stack *stack, const uintptr_t *slot)
{
  while (stack->top->slot != slot)
    stack->top--;
  return stack->top;
}

bool
marker_stack_push(struct marker_stack *stack, uintptr_t *slot, uint32_t up)
{
  struct marker *m = stack->top + 1;
  if (stack->top == stack->limit)
    return false;
  m->slot = slot;
  m->return_address = *slot;
  m->up = up;
  stack->top = m;
  /* After the mark is on the stack: a signal in between finds both right. */
  __atomic_signal_fence(__ATOMIC_SEQ_CST);
  *slot = (uintptr_t)mprof_return_trampoline;
  return true;
}

void
marker_stack_drop_all(struct marker_stack *stack)
{
  stack->top = stack->bottom;
}

void
marker_stack_restore(struct marker_stack *stack)
{
  for (struct marker *m = stack->top; m > stack->bottom; m--)
    if (marker_stack_is_marked(m->slot))
      *m->slot = m->return_address;
  stack->top = stack->bottom;
}
