/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * spin_lock.h -- a lock for the few instructions that threads of a program
 * share in the hook.  It needs no set-up, takes no memory, and the child of a
 * fork can open it again.  A thread that waits lets others run,
 * unless the kernel is no longer asked (arenas_seal), so that one that was
 * stopped while it held the lock goes on.  While the program has but one
 * thread, nothing has to be atomic: it is 20 cycles less.
 *
 * A signal handler may have interrupted its thread while that held a lock, so
 * a lock knows whose it is.
 *
 * Where a lock is in an image (image.h), a reader in another process takes it
 * while it copies counters, and may be killed meanwhile: a thread that has
 * waited for a second opens it then.
 */
#pragma once

#include <linux/futex.h>
#include <sched.h>
#include <stdbool.h>
#include <stdint.h>
#ifdef __GLIBC__
#include <sys/single_threaded.h>
#else /* another C library, where images are read only */
#define __libc_single_threaded false
#endif
#include <sys/syscall.h>
#include <time.h>

#include "arch/arch.h"
#include "image/arena.h"

/* ---- waiting for another thread by looking again and again ----
 *
 * A thread that looks gives up the processor.  The kernel gives that right
 * back where the other thread has a lower priority (SCHED_FIFO), so after
 * some looks it sleeps: by a futex, which any program with threads may use,
 * whatever filter of system calls it has.
 *
 * Keeps errno, and is no point of cancellation: may run inside the hook and
 * in a handler of a signal. */

enum { WAIT_YIELDS = 200, WAIT_NANOSECONDS = 150000 };

/* Lets others run: yields, or sleeps for WAIT_NANOSECONDS once `looks', the
 * number of calls before in this wait, is WAIT_YIELDS. */
static inline void __attribute__((cold)) wait_a_little(unsigned looks)
{
  static const struct timespec pause = {.tv_nsec = WAIT_NANOSECONDS};
  const uint32_t nobody_wakes = 0;
  const long wait[6] = {(long)(intptr_t)&nobody_wakes, FUTEX_WAIT_PRIVATE, 0,
                        (long)(intptr_t)&pause};
  if (looks < WAIT_YIELDS)
    sched_yield();
  else
    arch_system_call(SYS_futex, wait);
}

/* ---- the lock ---- */

#define SPIN_LOCK_READER ((uintptr_t)1) /* holder that reads the image */
enum { SPIN_LOCK_PATIENCE = WAIT_YIELDS + 1000000000 / WAIT_NANOSECONDS };

struct spin_lock {  /* all zero: open */
  uintptr_t holder; /* spin_lock_thread, or SPIN_LOCK_READER; 0: open */
};

/* Returns a number of the calling thread, neither 0 nor SPIN_LOCK_READER. */
static inline uintptr_t
spin_lock_thread(void)
{
  return (uintptr_t)__builtin_thread_pointer();
}

/* Takes the lock if it is open.  Returns false at once if it is not. */
static inline bool
spin_try_lock(struct spin_lock *lock)
{
  uintptr_t none = 0;
  if (__libc_single_threaded) {
    lock->holder = spin_lock_thread();
    return true;
  }
  return __atomic_compare_exchange_n(&lock->holder, &none, spin_lock_thread(),
                                     false, __ATOMIC_ACQUIRE,
                                     __ATOMIC_RELAXED);
}

/* Waits for a lock that is not open, and takes it. */
static inline void __attribute__((cold))
spin_lock_wait(struct spin_lock *lock)
{
  unsigned looks = 0;
  do
    for (unsigned i = 1;
         __atomic_load_n(&lock->holder, __ATOMIC_RELAXED) != 0; i++) {
      uintptr_t reader = SPIN_LOCK_READER;
      if (i % 128 != 0 || arenas_are_sealed())
        continue;
      if (looks >= SPIN_LOCK_PATIENCE)
        __atomic_compare_exchange_n(&lock->holder, &reader, 0, false,
                                    __ATOMIC_ACQ_REL, __ATOMIC_RELAXED);
      wait_a_little(looks++);
    }
  while (!spin_try_lock(lock));
}

static inline void
spin_lock(struct spin_lock *lock)
{
  if (__builtin_expect(!spin_try_lock(lock), 0))
    spin_lock_wait(lock);
}

static inline void
spin_unlock(struct spin_lock *lock)
{
  __atomic_store_n(&lock->holder, 0, __ATOMIC_RELEASE);
}

/* Returns true if the calling thread holds the lock. */
static inline bool
spin_holds(const struct spin_lock *lock)
{
  return __atomic_load_n(&lock->holder, __ATOMIC_RELAXED) ==
         spin_lock_thread();
}

/* Opens the lock if this thread holds it, after a jump out of the code that
 * took it. */
static inline void
spin_abandon(struct spin_lock *lock)
{
  if (spin_holds(lock))
    spin_unlock(lock);
}
