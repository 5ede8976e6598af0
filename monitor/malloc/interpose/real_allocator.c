/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * real_allocator.c -- see real_allocator.h.
 */
#include "malloc/interpose/real_allocator.h"

#include <dlfcn.h>
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "malloc/interpose/interposed.h"
#include "tree/spin_lock.h"

struct real_allocator real;

/* A cast between a function and an object pointer, which POSIX allows. */
void
real_function(void *function, const char *name)
{
  void *found = dlsym(RTLD_NEXT, name);
  memcpy(function, &found, sizeof found);
}

bool
real_allocator_find(void)
{
  static const char message[] =
      "mprof: there is no malloc behind libmprof-malloc.so; load it with "
      "LD_PRELOAD into a dynamically linked program\n";
  /* only the thread that is at it gets early memory */
  static __thread bool seeking __attribute__((tls_model("initial-exec")));
  static struct spin_lock lock;
  if (seeking)
    return false;
  seeking = true;
  spin_lock(&lock);
  if (!real.found) {
    for (const struct interposed_function *f = interposed_functions;
         f->real != NULL; f++)
      real_function(f->real, f->name);
    if (real.malloc == NULL) {
      ssize_t ignored = write(STDERR_FILENO, message, sizeof message - 1);
      (void)ignored;
      _exit(127);
    }
    rebind_symbols(interposed_functions);
    __atomic_store_n(&real.found, true, __ATOMIC_RELEASE);
  }
  spin_unlock(&lock);
  seeking = false;
  return true;
}

/* ---- early memory ---- */

enum {
  EARLY_BYTES = 1 << 28, /* address space; less, where that is limited */
  EARLY_LEAST = 1 << 16,
  GRANULE = 16
};

struct arena early_memory;

void *
early_allocate(size_t alignment, size_t bytes)
{
  static struct spin_lock lock;
  static uintptr_t free_from, end;
  uintptr_t begin;
  if (alignment < GRANULE)
    alignment = GRANULE;
  spin_lock(&lock);
  for (size_t room = EARLY_BYTES; end == 0 && room >= EARLY_LEAST; room /= 2)
    if (arena_reserve(&early_memory, room) == 0) {
      free_from = (uintptr_t)early_memory.base;
      end = free_from + room;
    }
  /* its size stands before each block */
  begin = (free_from + sizeof bytes + alignment - 1) & ~(alignment - 1);
  if (begin > free_from && begin < end && bytes <= end - begin) {
    ((size_t *)begin)[-1] = bytes;
    free_from = begin + bytes;
  } else {
    errno = ENOMEM;
    begin = 0;
  }
  spin_unlock(&lock);
  return (void *)begin;
}

size_t
early_size(const void *address)
{
  return ((const size_t *)address)[-1];
}
