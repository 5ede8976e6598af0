/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * rights.c -- a process gives up what it may do: another root, another user,
 * fewer capabilities, other namespaces, a filter of system calls.  These are
 * functions of the C library with mprof before them.
 *
 * What it could open before it cannot open then, so the file is opened now.
 * A process that does nothing of this has no descriptor of mprof's.
 */
#include <linux/seccomp.h>
#include <sched.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "malloc/count/malloc_monitor.h"
#include "malloc/interpose/real_allocator.h"
#include "malloc/session/malloc_session.h"
#include "malloc/session/system_call_filter.h"

#define KEEP_BEFORE(name, parameters, arguments)                             \
  EXPORT int name parameters;                                                \
  EXPORT int name parameters                                                 \
  {                                                                          \
    int(*function) parameters;                                               \
    malloc_session_keep();                                                   \
    real_function(&function, #name);                                         \
    return function arguments;                                               \
  }

KEEP_BEFORE(chroot, (const char *path), (path))
KEEP_BEFORE(setuid, (uid_t user), (user))
KEEP_BEFORE(seteuid, (uid_t user), (user))
KEEP_BEFORE(setreuid, (uid_t user, uid_t effective), (user, effective))
KEEP_BEFORE(setresuid, (uid_t user, uid_t effective, uid_t saved),
            (user, effective, saved))
KEEP_BEFORE(unshare, (int flags), (flags))
KEEP_BEFORE(setns, (int file, int type), (file, type))
KEEP_BEFORE(capset, (void *header, const void *data), (header, data))

/* ---- by number ---- */

/* They take fewer arguments in most cases: what is passed on then nobody
 * looks at. */
typedef long call_function(long number, long a, long b, long c, long d,
                           long e, long f);
typedef int prctl_function(int option, long a, long b, long c, long d);

static call_function *real_syscall;
static prctl_function *real_prctl;

/* Before a handler of a signal could call them. */
static void __attribute__((constructor)) find_calls(void)
{
  malloc_monitor_inside++;
  real_function(&real_syscall, "syscall");
  real_function(&real_prctl, "prctl");
  malloc_monitor_inside--;
}

/* The process is about to make this call. */
static void
before_call(const struct system_call *call)
{
  const long *const a = call->arguments;
  switch (call->number) {
  case SYS_chroot:
  case SYS_pivot_root:
  case SYS_setuid:
  case SYS_setreuid:
  case SYS_setresuid:
  case SYS_unshare:
  case SYS_setns:
  case SYS_capset:
  case SYS_landlock_restrict_self:
    malloc_session_keep();
    break;
  case SYS_seccomp: /* who asks what there is gives no filter */
    if (a[0] == SECCOMP_SET_MODE_STRICT ? a[1] == 0
                                        : a[0] == SECCOMP_SET_MODE_FILTER &&
                                              a[2] != 0)
      system_call_filter_before(call);
    break;
  case SYS_prctl:
    if (a[0] == PR_SET_SECCOMP)
      system_call_filter_before(call);
    break;
  }
}

long
system_call_make(const struct system_call *call)
{
  const long *const a = call->arguments;
  return real_syscall(call->number, a[0], a[1], a[2], a[3], a[4], a[5]);
}

EXPORT long interposed_syscall(long number, long a, long b, long c, long d,
                               long e, long f) __asm__("syscall");
EXPORT int interposed_prctl(int option, long a, long b, long c,
                            long d) __asm__("prctl");

long
interposed_syscall(long number, long a, long b, long c, long d, long e,
                   long f)
{
  before_call(&(struct system_call){number, {a, b, c, d, e, f}});
  if (real_syscall == NULL)
    find_calls();
  return real_syscall(number, a, b, c, d, e, f);
}

int
interposed_prctl(int option, long a, long b, long c, long d)
{
  before_call(&(struct system_call){SYS_prctl, {option, a, b, c, d}});
  if (real_prctl == NULL)
    find_calls();
  return real_prctl(option, a, b, c, d);
}
