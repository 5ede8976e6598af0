/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * marker_stack.c -- an array with a sentinel at the bottom.
 */
#include "marker_stack.h"

/* arch/x86_64.S knows these. */
_Static_assert(offsetof(struct marker_stack, top) == 0, "trampoline");
_Static_assert(offsetof(struct marker, slot) == 0, "trampoline");
_Static_assert(offsetof(struct marker, return_address) == 8, "trampoline");
_Static_assert(sizeof(struct marker) == 24, "trampoline");

_Thread_local struct marker_stack *mprof_markers;

int
marker_stack_init(struct marker_stack *stack, size_t depth)
{
  if (arena_reserve(&stack->arena, (depth + 1 + MARKER_SLACK) *
                                       sizeof(struct marker)) != 0)
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

void
marker_stack_drop_all(struct marker_stack *stack)
{
  stack->top = stack->bottom;
}

static void
unmark_top(struct marker_stack *stack)
{
  const struct marker *m = stack->top--;
  if (marker_stack_is_marked(m->slot))
    *m->slot = m->return_address;
}

void
marker_stack_restore(struct marker_stack *stack)
{
  while (stack->top > stack->bottom)
    unmark_top(stack);
}

void
marker_stack_restore_to(struct marker_stack *stack, const uintptr_t *slot)
{
  while (marker_stack_is_marked(slot) && stack->top > stack->bottom)
    unmark_top(stack);
}
