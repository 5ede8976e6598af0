/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * spin_lock.h -- a lock for the few instructions that threads of a program
 * share in the hook.  It needs no set-up, takes no memory, and the child of a
 * fork can open it again.  A thread that waits gives up the processor, so
 * that one that was stopped while it held the lock goes on.  While the
 * program has but one thread, nothing has to be atomic: it is 20 cycles less.
 */
#ifndef MPROF_SPIN_LOCK_H
#define MPROF_SPIN_LOCK_H

#include <sched.h>
#include <stdbool.h>
#include <sys/single_threaded.h>

struct spin_lock { /* all zero: open */
  int held;
};

/* False: another thread has it. */
static inline bool
spin_try_lock(struct spin_lock *lock)
{
  if (__libc_single_threaded) {
    lock->held = 1;
    return true;
  }
  return __atomic_exchange_n(&lock->held, 1, __ATOMIC_ACQUIRE) == 0;
}

static inline void
spin_lock(struct spin_lock *lock)
{
  while (!spin_try_lock(lock))
    for (int i = 0; __atomic_load_n(&lock->held, __ATOMIC_RELAXED) != 0; i++)
      if (i >= 100) {
        sched_yield();
        i = 0;
      }
}

static inline void
spin_unlock(struct spin_lock *lock)
{
  __atomic_store_n(&lock->held, 0, __ATOMIC_RELEASE);
}

#endif
