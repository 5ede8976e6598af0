/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * hook.c -- the gate, and the table of hooks of a thread.  What they do:
 * count_allocation.c, object_body.c.
 */
#include "lisp/hook/hook.h"

#include <fcntl.h>
#include <unistd.h>

#include "base/wait.h"

#include "lisp/hook/allocation.h"

/* May this allocation be counted?  When the gate is shut for a moment (code
 * is being unloaded, or the collector asked for its sum), wait: nothing is
 * lost.  Whoever has shut it may want to know what was taken. */
bool
hook_wait_at_gate(struct thread_state *t, cl_index what, cl_index bytes)
{
  unsigned looks = 0;
  int gate;
  while ((gate = __atomic_load_n(&t->gate, __ATOMIC_ACQUIRE)) ==
         GATE_PAUSED) {
    if (!t->held.present) {
      t->held.what = what;
      t->held.bytes = bytes;
      __atomic_store_n(&t->held.present, true, __ATOMIC_RELEASE);
    }
    __atomic_store_n(&t->inside, 0, __ATOMIC_SEQ_CST);
    wait_a_little(looks++);
    __atomic_store_n(&t->inside, 1, __ATOMIC_SEQ_CST);
  }
  t->held.present = false;
  return gate == GATE_OPEN;
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
      .allocated = hook_allocated,
      .instance_allocated = hook_instance_allocated,
      .body = object_body,
      .collector_record = collector_record};
}

/* When an interrupt waits for the thread to enable interrupts, its environment
 * is read-only until then (set_guard_page in ECL's unixint.d).  That may begin
 * at any time, but what is written in this way needs no leave. */
void
hook_hang(cl_env_ptr env, struct ecl_allocation_hooks *hooks)
{
  const off_t place = (off_t)(uintptr_t)&env->allocation_hooks;
  const int memory = open("/proc/self/mem", O_WRONLY | O_CLOEXEC);
  if (pwrite(memory, &hooks, sizeof hooks, place) != sizeof hooks)
    __atomic_store_n(&env->allocation_hooks, hooks, __ATOMIC_RELEASE);
  if (memory >= 0)
    close(memory);
}
