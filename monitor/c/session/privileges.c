/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * privileges.c -- a process gives up what it may do: another root, another
 * user, fewer capabilities, other namespaces, a filter of system calls; or it
 * makes, by its number, the call that ends it.  These are functions of the C
 * library with mprof before them.
 *
 * The process may not be able to open its file afterwards, so it is opened
 * before.  A process that does nothing of this has no descriptor of mprof's.
 */
#include <linux/seccomp.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "arch/arch.h"
#include "base/attributes.h"
#include "c/interpose/real_allocator.h"
#include "c/session/session.h"

#define KEEP_BEFORE(name, parameters, arguments)                             \
  EXPORT int name parameters;                                                \
  EXPORT int name parameters                                                 \
  {                                                                          \
    session_keep_file();                                              \
    return BEHIND(name) arguments;                                           \
  }

KEEP_BEFORE(chroot, (const char *path), (path))
KEEP_BEFORE(setuid, (uid_t user), (user))
KEEP_BEFORE(seteuid, (uid_t user), (user))
KEEP_BEFORE(setreuid, (uid_t user, uid_t effective), (user, effective))
KEEP_BEFORE(setresuid, (uid_t user, uid_t effective, uid_t saved),
            (user, effective, saved))
KEEP_BEFORE(capset, (void *header, const void *data), (header, data))
KEEP_BEFORE(unshare, (int flags), (flags))
KEEP_BEFORE(setns, (int file, int type), (file, type))

/* ---- by number ---- */

/* Prepares for a call that the process is about to make. */
static void
before_call(const struct system_call *call)
{
  const long *const a = call->arguments;
  switch (call->number) {
  case SYS_exit_group:
    leak_search_run();
    break;
  case SYS_chroot:
  case SYS_pivot_root:
  case SYS_setuid:
  case SYS_setreuid:
  case SYS_setresuid:
  case SYS_unshare:
  case SYS_setns:
  case SYS_capset:
  case SYS_landlock_restrict_self:
    session_keep_file();
    break;
  case SYS_seccomp: /* a query passes no filter */
    if (a[0] == SECCOMP_SET_MODE_STRICT
            ? a[1] == 0
            : a[0] == SECCOMP_SET_MODE_FILTER && a[2] != 0)
      system_call_filter_before(call);
    break;
  case SYS_prctl:
    if (a[0] == PR_SET_SECCOMP)
      system_call_filter_before(call);
    break;
  }
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
  const struct system_call call = {number, {a, b, c, d, e, f}};
  before_call(&call);
  return system_call_make(&call);
}

int
interposed_prctl(int option, long a, long b, long c, long d)
{
  const struct system_call call = {SYS_prctl, {option, a, b, c, d}};
  before_call(&call);
  return (int)system_call_make(&call);
}
