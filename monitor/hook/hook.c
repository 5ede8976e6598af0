/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * hook.c -- the hooks of a thread: see count_allocation.h.
 */
#include "hook/hook.h"

#include <sched.h>

#define FOLLOW false
#include "hook/count_allocation.h"

/* May this allocation be counted?  When the gate is shut for a moment (code
 * is being unloaded, or the collector asked for its sum), wait: nothing is
 * lost.  Whoever has shut it may want to know what was taken. */
bool
hook_wait_at_gate(struct thread_state *t, cl_index what, cl_index bytes)
{
  int gate;
  while ((gate = __atomic_load_n(&t->gate, __ATOMIC_ACQUIRE)) ==
         GATE_PAUSED) {
    if (!t->held.present) {
      t->held.what = what;
      t->held.bytes = bytes;
      __atomic_store_n(&t->held.present, true, __ATOMIC_RELEASE);
    }
    __atomic_store_n(&t->inside, 0, __ATOMIC_SEQ_CST);
    sched_yield();
    __atomic_store_n(&t->inside, 1, __ATOMIC_SEQ_CST);
  }
  t->held.present = false;
  return gate == GATE_OPEN;
}

struct leaf *
hook_leaf_here(struct thread_state *t, uintptr_t frame, cl_index what,
               uint32_t size, cl_object clas)
{
  const struct innermost_frame f = stack_walk(&t->walk, &t->tree, frame);
  return leaf_in(t, &f, what, size, clas);
}

/* The collector counts its own records like what it gives out. */
static void
collector_record(struct ecl_allocation_hooks *self, cl_index bytes)
{
  struct thread_state *t = (struct thread_state *)self;
  if (hook_enter(t, 0, bytes))
    t->records[bytes == ECL_WEAK_LINK_RECORD_BYTES]++;
  hook_leave(t);
}

void
hook_init(struct thread_state *thread)
{
  thread->hooks = (struct ecl_allocation_hooks){
      .allocated = allocated,
      .instance_allocated = instance_allocated,
      .body = object_body,
      .collector_record = collector_record};
  if (live_table_is_open(&thread->live))
    hook_follow(&thread->hooks);
}
