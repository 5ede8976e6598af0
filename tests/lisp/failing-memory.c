/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * failing-memory.c -- preloaded: requests for memory that the monitor makes
 * fail, the one numbered failing_at or also all that follow.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <stdarg.h>
#include <stdbool.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Set by the program. */
int failing_at;    /* counted from 1; 0: none */
int failing_after; /* whether all later ones fail, too */
int failing_made;  /* requests so far */

void *__libc_malloc(size_t bytes);
void *__libc_calloc(size_t count, size_t bytes);
void *__libc_realloc(void *memory, size_t bytes);

/* Returns whether a request made at `caller' fails.  Sets errno then. */
static bool
fails(const void *caller)
{
  Dl_info file;
  if (failing_at == 0 || dladdr(caller, &file) == 0 ||
      strstr(file.dli_fname, "libmprof-monitor") == NULL)
    return false;
  failing_made++;
  if (failing_made < failing_at ||
      (failing_made > failing_at && failing_after == 0))
    return false;
  errno = ENOMEM;
  return true;
}

void *
mmap(void *at, size_t bytes, int protection, int flags, int file,
     off_t offset)
{
  return fails(__builtin_return_address(0))
             ? MAP_FAILED
             : (void *)syscall(SYS_mmap, at, bytes, protection, flags, file,
                               offset);
}

void *
mremap(void *at, size_t bytes, size_t new_bytes, int flags, ...)
{
  va_list arguments;
  void *to;
  va_start(arguments, flags);
  to = (flags & MREMAP_FIXED) != 0 ? va_arg(arguments, void *) : NULL;
  va_end(arguments);
  return fails(__builtin_return_address(0))
             ? MAP_FAILED
             : (void *)syscall(SYS_mremap, at, bytes, new_bytes, flags, to);
}

void *
malloc(size_t bytes)
{
  return fails(__builtin_return_address(0)) ? NULL : __libc_malloc(bytes);
}

void *
calloc(size_t count, size_t bytes)
{
  return fails(__builtin_return_address(0)) ? NULL
                                            : __libc_calloc(count, bytes);
}

void *
realloc(void *memory, size_t bytes)
{
  return fails(__builtin_return_address(0)) ? NULL
                                            : __libc_realloc(memory, bytes);
}
