/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * gates.c -- stopping all threads without a lock in the hook.
 *
 * Model.  The hook stores `inside', then loads `gate'.  The monitor stores
 * `gate', then asks the kernel for a barrier on all processors that run this
 * process (membarrier), then reads `inside'.  So either the hook sees the
 * gate shut or the monitor sees it inside.  The hook pays for two plain
 * stores and a load, and no fence.
 *
 * Not done here: the hook's half (hook.c), and finding a moment in which no
 * thread is in the middle of an allocation (safepoint.c): a thread that is
 * outside the hook may have taken an object that it will report.
 */
#include "threads/gates.h"

#include <gc/gc.h>
#include <linux/membarrier.h>
#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "monitor_internal.h"

bool
gates_init(void)
{
  monitor.membarrier =
      syscall(__NR_membarrier, MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED, 0,
              0) == 0;
  return monitor.membarrier;
}

void
gates_barrier(void)
{
  if (monitor.membarrier)
    syscall(__NR_membarrier, MEMBARRIER_CMD_PRIVATE_EXPEDITED, 0, 0);
  __atomic_thread_fence(__ATOMIC_SEQ_CST);
}

void
gates_wait_for_hooks(void)
{
  gates_barrier();
  for (struct thread_state *t = monitor.threads; t != NULL; t = t->next)
    while (__atomic_load_n(&t->inside, __ATOMIC_ACQUIRE) != 0)
      sched_yield();
}

void
gates_set(enum gate gate)
{
  for (struct thread_state *t = monitor.threads; t != NULL; t = t->next)
    __atomic_store_n(&t->gate, gate, __ATOMIC_SEQ_CST);
  if (gate != GATE_OPEN)
    gates_wait_for_hooks();
}

struct quiet
quiet_begin(void)
{
  struct quiet q = { .env = ecl_process_env() };
  q.hooks = q.env->allocation_hooks;
  q.env->allocation_hooks = NULL;
  q.finalize_on_demand = GC_get_finalize_on_demand();
  GC_set_finalize_on_demand(1);
  return q;
}

void
quiet_end(struct quiet q, bool counting)
{
  GC_set_finalize_on_demand(q.finalize_on_demand);
  if (counting)
    q.env->allocation_hooks = q.hooks;
}
