/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * system_calls.c -- the process makes a call by its number that filters its
 * system calls, or that ends it.  These are functions of the C library with
 * mprof before them.
 */
#include <errno.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "arch/arch.h"
#include "base/attributes.h"
#include "c/session/session.h"

/* Makes the call, as the C library's function does: to look that up may
 * allocate, and allocators call syscall for memory. */
static long
make_call(long number, const long *arguments)
{
  const long result = arch_system_call(number, arguments);
  if (result >= 0 || result < -4095)
    return result;
  errno = (int)-result;
  return -1;
}

/* Prepares for system call NUMBER, which the process is about to make: finds
 * what is lost before it ends, and prepares for the filter that it sets. */
static void
before_call(long number, const long *a)
{
  if (number == SYS_exit_group)
    leak_search_run();
  else if (number == SYS_seccomp && a[0] == SECCOMP_SET_MODE_STRICT &&
           a[1] == 0)
    system_call_filter_before(&system_call_filter_strict, false);
  else if (number == SYS_seccomp && a[0] == SECCOMP_SET_MODE_FILTER)
    system_call_filter_before(
        (const void *)(uintptr_t)a[2],
        ((unsigned long)a[1] & SECCOMP_FILTER_FLAG_NEW_LISTENER) != 0);
  else if (number == SYS_prctl && a[0] == PR_SET_SECCOMP)
    system_call_filter_before(a[1] == SECCOMP_MODE_STRICT
                                  ? &system_call_filter_strict
                                  : (const void *)(uintptr_t)a[2],
                              false);
}

/* Most calls take fewer arguments, and do not look at what is passed on. */
EXPORT long interposed_syscall(long number, long a, long b, long c, long d,
                               long e, long f) __asm__("syscall");
EXPORT int interposed_prctl(int option, long a, long b, long c,
                            long d) __asm__("prctl");

long
interposed_syscall(long number, long a, long b, long c, long d, long e,
                   long f)
{
  const long arguments[6] = {a, b, c, d, e, f};
  before_call(number, arguments);
  return make_call(number, arguments);
}

int
interposed_prctl(int option, long a, long b, long c, long d)
{
  const long arguments[6] = {option, a, b, c, d};
  before_call(SYS_prctl, arguments);
  return (int)make_call(SYS_prctl, arguments);
}
