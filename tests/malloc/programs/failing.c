/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * failing.c -- a library behind the monitor's: of the system calls that the
 * monitor makes, one fails.  FAIL says which, and how: NAME:N:ERROR is the
 * N-th one of that name, from 1 on, and an errno value; a write with the
 * value 0 is one of half as many bytes.  When it comes to that, a line goes
 * to descriptor 9.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "arch/arch.h"

static char name[32];
static int left, error;

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

static void __attribute__((constructor)) begin(void)
{
  const char *plan = getenv("FAIL");
  const char *colon = plan == NULL ? NULL : strchr(plan, ':');
  if (colon == NULL)
    return;
  memcpy(name, plan, (size_t)(colon - plan));
  left = atoi(colon + 1);
  error = atoi(strrchr(plan, ':') + 1);
}

static int
fails(const char *called, void *from)
{
  Dl_info info;
  if (left == 0 || strcmp(called, name) != 0 || dladdr(from, &info) == 0 ||
      strstr(info.dli_fname, "libmprof-malloc") == NULL || --left != 0)
    return 0;
  call(SYS_write, 9, (long)"failed\n", 7, 0, 0, 0);
  errno = error;
  return 1;
}

#define FAILS(called) fails(called, __builtin_return_address(0))

/* `type' is what it gives back; `failed' that when it fails. */
#define CALL(type, called, failed, parameters, ...)                          \
  type called parameters                                                     \
  {                                                                          \
    return FAILS(#called) ? failed : (type)call(__VA_ARGS__);                \
  }

CALL(int, close, -1, (int file), SYS_close, file, 0, 0, 0, 0, 0)
CALL(int, fsync, -1, (int file), SYS_fsync, file, 0, 0, 0, 0, 0)
CALL(int, ftruncate, -1, (int file, off_t n), SYS_ftruncate, file, n, 0, 0, 0,
     0)
CALL(int, rename, -1, (const char *from, const char *to), SYS_renameat2,
     AT_FDCWD, (long)from, AT_FDCWD, (long)to, 0, 0)
CALL(int, renameat2, -1,
     (int a, const char *from, int b, const char *to, unsigned flags),
     SYS_renameat2, a, (long)from, b, (long)to, flags, 0)
CALL(int, stat, -1, (const char *path, struct stat *there), SYS_newfstatat,
     AT_FDCWD, (long)path, (long)there, 0, 0, 0)
CALL(int, lstat, -1, (const char *path, struct stat *there), SYS_newfstatat,
     AT_FDCWD, (long)path, (long)there, AT_SYMLINK_NOFOLLOW, 0, 0)
CALL(int, fstat, -1, (int file, struct stat *there), SYS_fstat, file,
     (long)there, 0, 0, 0, 0)
CALL(ssize_t, readlink, -1, (const char *path, char *text, size_t n),
     SYS_readlinkat, AT_FDCWD, (long)path, (long)text, n, 0, 0)
CALL(int, getrlimit, -1, (__rlimit_resource_t which, struct rlimit *limit),
     SYS_prlimit64, 0, which, 0, (long)limit, 0, 0)
CALL(void *, mmap, MAP_FAILED,
     (void *at, size_t n, int rights, int flags, int file, off_t from),
     SYS_mmap, (long)at, n, rights, flags, file, from)
CALL(int, madvise, -1, (void *at, size_t n, int what), SYS_madvise, (long)at,
     n, what, 0, 0, 0)
CALL(int, sigaltstack, -1, (const stack_t *new, stack_t *old),
     SYS_sigaltstack, (long)new, (long)old, 0, 0, 0, 0)

int
open(const char *path, int flags, ...)
{
  va_list list;
  int mode;
  va_start(list, flags);
  mode = va_arg(list, int);
  va_end(list);
  return FAILS("open")
             ? -1
             : call(SYS_openat, AT_FDCWD, (long)path, flags, mode, 0, 0);
}

int
fcntl(int file, int command, ...)
{
  va_list list;
  long value;
  va_start(list, command);
  value = va_arg(list, long);
  va_end(list);
  return FAILS("fcntl") ? -1
                        : call(SYS_fcntl, file, command, value, 0, 0, 0);
}

void *
mremap(void *at, size_t old, size_t n, int flags, ...)
{
  va_list more;
  long to = 0;
  va_start(more, flags);
  if ((flags & MREMAP_FIXED) != 0)
    to = (long)va_arg(more, void *);
  va_end(more);
  return FAILS("mremap")
             ? MAP_FAILED
             : (void *)call(SYS_mremap, (long)at, old, n, flags, to, 0);
}

char *
getcwd(char *text, size_t n)
{
  return FAILS("getcwd") || call(SYS_getcwd, (long)text, n, 0, 0, 0, 0) < 0
             ? NULL
             : text;
}

/* What is written, or half of it. */
static size_t
some(size_t n)
{
  return error == 0 && n > 1 ? n / 2 : n;
}

ssize_t
write(int file, const void *bytes, size_t n)
{
  if (FAILS("write")) {
    if (error != 0)
      return -1;
    n = some(n);
  }
  return call(SYS_write, file, (long)bytes, n, 0, 0, 0);
}

ssize_t
pwrite(int file, const void *bytes, size_t n, off_t at)
{
  if (FAILS("pwrite")) {
    if (error != 0)
      return -1;
    n = some(n);
  }
  return call(SYS_pwrite64, file, (long)bytes, n, at, 0, 0);
}
