/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * no_memory.c -- a library to preload: what the monitor asks of the kernel's
 * memory fails, the call number FAIL_AT alone, or all from fail_all(1) on.
 * When one has failed there is a file FAIL_LOG.  Other callers get what they
 * want; the C library's own calls do not come this way.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

static long calls;
static int all;

void
fail_all(int on)
{
  all = on;
}

static int
fails(void *caller)
{
  struct dl_find_object found;
  const char *at = getenv("FAIL_AT"), *log = getenv("FAIL_LOG");
  int file;
  if (_dl_find_object(caller, &found) != 0 ||
      strstr(found.dlfo_link_map->l_name, "libmprof") == NULL)
    return 0;
  if (!all && (at == NULL || ++calls != atol(at)))
    return 0;
  if (log != NULL && (file = open(log, O_WRONLY | O_CREAT, 0666)) >= 0)
    close(file);
  errno = ENOMEM;
  return 1;
}

#define CALLER __builtin_return_address(0)

void *
mmap(void *at, size_t n, int protection, int flags, int file, off_t offset)
{
  if (fails(CALLER))
    return MAP_FAILED;
  return (void *)syscall(SYS_mmap, at, n, protection, flags, file, offset);
}

void *
mremap(void *at, size_t old, size_t n, int flags, ...)
{
  va_list more;
  void *to;
  if (fails(CALLER))
    return MAP_FAILED;
  va_start(more, flags);
  to = (flags & MREMAP_FIXED) != 0 ? va_arg(more, void *) : NULL;
  va_end(more);
  return (void *)syscall(SYS_mremap, at, old, n, flags, to);
}

int
madvise(void *at, size_t n, int advice)
{
  return fails(CALLER) ? -1 : (int)syscall(SYS_madvise, at, n, advice);
}

int
mprotect(void *at, size_t n, int protection)
{
  return fails(CALLER) ? -1 : (int)syscall(SYS_mprotect, at, n, protection);
}
