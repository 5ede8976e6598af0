/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * wait.h -- to wait for another thread by looking again and again.
 *
 * A thread that looks gives up the processor.  The kernel gives that right
 * back where the other thread has a lower priority (SCHED_FIFO), so after
 * some looks it sleeps: by a futex, which any program with threads may use,
 * whatever filter of system calls it has.
 *
 * Keeps errno, and is no point of cancellation: may run inside the hook and
 * in a handler of a signal.
 */
#pragma once

#include <linux/futex.h>
#include <sched.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <time.h>

#include "arch/arch.h"

enum { WAIT_YIELDS = 200, WAIT_NANOSECONDS = 150000 };

/* Let others run.  `looks': how often it has been by now. */
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
