/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * failing.c -- a library behind the monitor's: of the system calls that the
 * monitor makes, one fails.  FAIL says which, and how: NAME:N:ERROR is the
 * N-th one of that name, from 1 on, and an errno value; `memory' is the name
 * of all that are about memory.  These all fail from fail_all(1) on.  When one
 * fails, a line goes to descriptor 9.  Other callers get what they want.
 */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "arch/arch.h"

static struct {
  const char *name;
  int left, error, all;
} plan;

void
fail_all(int on)
{
  plan.all = on;
}

/* Not by the C library's function, which the monitor has one before. */
static long
call(long number, long a, long b, long c, long d, long e, long f)
{
  const long arguments[] = {a, b, c, d, e, f};
  const long result = arch_system_call(number, arguments);
  if (result < 0 && result > -4096) {
    errno = (int)-result;
    return -1;
  }
  return result;
}

/* Reads the plan: the monitor may call before any constructor has run. */
static void
begin(void)
{
  const char *text = getenv("FAIL"), *number;
  plan.name = text == NULL ? "" : text;
  plan.error = ENOMEM;
  if ((number = strchr(plan.name, ':')) == NULL)
    return;
  plan.left = atoi(number + 1);
  plan.error = atoi(strrchr(text, ':') + 1);
}

static int
is_planned(const char *called)
{
  const size_t length = strlen(called);
  return plan.left != 0 && strncmp(plan.name, called, length) == 0 &&
         plan.name[length] == ':';
}

/* Whether the call of that name, of that GROUP, from there fails. */
static int
fails(const char *called, const char *group, void *from)
{
  struct dl_find_object caller;
  if (plan.name == NULL)
    begin();
  if (!(plan.all && *group != '\0') && !is_planned(called) &&
      !is_planned(group))
    return 0;
  if (_dl_find_object(from, &caller) != 0 ||
      strstr(caller.dlfo_link_map->l_name, "libmprof-malloc") == NULL ||
      (!plan.all && --plan.left != 0))
    return 0;
  call(SYS_write, 9, (long)"failed\n", 7, 0, 0, 0);
  errno = plan.error;
  return 1;
}

/* `type' is what it gives back; `failed' that when it fails. */
#define CALL_OF(group, type, called, failed, parameters, ...)                \
  type called parameters                                                     \
  {                                                                          \
    return fails(#called, group, __builtin_return_address(0))                \
               ? failed                                                      \
               : (type)call(__VA_ARGS__);                                    \
  }
#define CALL(type, called, parameters, ...)                                  \
  CALL_OF("", type, called, -1, parameters, __VA_ARGS__)
#define MEMORY_CALL(type, called, failed, parameters, ...)                   \
  CALL_OF("memory", type, called, failed, parameters, __VA_ARGS__)

CALL(int, open, (const char *path, int flags, ...), SYS_openat, AT_FDCWD,
     (long)path, flags, 0666, 0, 0)
CALL(int, close, (int file), SYS_close, file, 0, 0, 0, 0, 0)
CALL(int, ftruncate, (int file, off_t n), SYS_ftruncate, file, n, 0, 0, 0, 0)
CALL(int, fallocate, (int file, int mode, off_t from, off_t n), SYS_fallocate,
     file, mode, from, n, 0, 0)
CALL(ssize_t, pread, (int file, void *bytes, size_t n, off_t from),
     SYS_pread64, file, (long)bytes, n, from, 0, 0)
CALL(ssize_t, writev, (int file, const struct iovec *pieces, int count),
     SYS_writev, file, (long)pieces, count, 0, 0, 0)
CALL(int, rename, (const char *from, const char *to), SYS_renameat2, AT_FDCWD,
     (long)from, AT_FDCWD, (long)to, 0, 0)
CALL(int, unlink, (const char *path), SYS_unlinkat, AT_FDCWD, (long)path, 0,
     0, 0, 0)
CALL(int, stat, (const char *path, struct stat *there), SYS_newfstatat,
     AT_FDCWD, (long)path, (long)there, 0, 0, 0)
CALL(int, lstat, (const char *path, struct stat *there), SYS_newfstatat,
     AT_FDCWD, (long)path, (long)there, AT_SYMLINK_NOFOLLOW, 0, 0)
CALL(int, fstat, (int file, struct stat *there), SYS_fstat, file, (long)there,
     0, 0, 0, 0)
CALL(int, fstatfs, (int file, struct statfs *there), SYS_fstatfs, file,
     (long)there, 0, 0, 0, 0)
CALL(ssize_t, readlink, (const char *path, char *text, size_t n),
     SYS_readlinkat, AT_FDCWD, (long)path, (long)text, n, 0, 0)
CALL(int, getrlimit, (__rlimit_resource_t which, struct rlimit *limit),
     SYS_prlimit64, 0, which, 0, (long)limit, 0, 0)
MEMORY_CALL(void *, mmap, MAP_FAILED,
            (void *at, size_t n, int rights, int flags, int file, off_t from),
            SYS_mmap, (long)at, n, rights, flags, file, from)
MEMORY_CALL(int, madvise, -1, (void *at, size_t n, int what), SYS_madvise,
            (long)at, n, what, 0, 0, 0)
MEMORY_CALL(int, mprotect, -1, (void *at, size_t n, int rights), SYS_mprotect,
            (long)at, n, rights, 0, 0, 0)

void *
mremap(void *at, size_t old, size_t n, int flags, ...)
{
  va_list more;
  void *to;
  va_start(more, flags);
  to = (flags & MREMAP_FIXED) != 0 ? va_arg(more, void *) : NULL;
  va_end(more);
  return fails("mremap", "memory", __builtin_return_address(0))
             ? MAP_FAILED
             : (void *)call(SYS_mremap, (long)at, old, n, flags, (long)to, 0);
}

char *
getcwd(char *text, size_t n)
{
  return fails("getcwd", "", __builtin_return_address(0)) ||
                 call(SYS_getcwd, (long)text, n, 0, 0, 0, 0) < 0
             ? NULL
             : text;
}
