/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * real_allocator.c -- see real_allocator.h.
 */
#include "malloc/real_allocator.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "tree/spin_lock.h"

struct real_allocator real;
int real_allocator_state;

/* The thread that is at it; only it gets early memory. */
static __thread bool seeking __attribute__((tls_model("initial-exec")));
static struct spin_lock seek_lock;

/* A cast between a function and an object pointer, which POSIX allows. */
static void
seek(void *function_pointer, const char *name)
{
  void *found = dlsym(RTLD_NEXT, name);
  memcpy(function_pointer, &found, sizeof found);
}

bool
real_allocator_find(void)
{
  static const char message[] =
      "mprof: there is no malloc behind libmprof-malloc.so; load it with "
      "LD_PRELOAD into a dynamically linked program\n";
  if (seeking)
    return false;
  seeking = true;
  spin_lock(&seek_lock);
  if (real_allocator_state != REAL_FOUND) {
    seek(&real.malloc, "malloc");
    seek(&real.calloc, "calloc");
    seek(&real.realloc, "realloc");
    seek(&real.reallocarray, "reallocarray");
    seek(&real.free, "free");
    seek(&real.posix_memalign, "posix_memalign");
    seek(&real.aligned_alloc, "aligned_alloc");
    seek(&real.memalign, "memalign");
    seek(&real.valloc, "valloc");
    seek(&real.pvalloc, "pvalloc");
    seek(&real.malloc_usable_size, "malloc_usable_size");
    if (real.malloc == NULL || real.free == NULL || real.realloc == NULL ||
        real.calloc == NULL || real.malloc_usable_size == NULL) {
      ssize_t ignored = write(STDERR_FILENO, message, sizeof message - 1);
      (void)ignored;
      _exit(127);
    }
    __atomic_store_n(&real_allocator_state, REAL_FOUND, __ATOMIC_RELEASE);
  }
  spin_unlock(&seek_lock);
  seeking = false;
  return true;
}

/* ---- early memory ---- */

enum { CHUNK_BYTES = 1 << 16, GRANULE = 16 };

/* The chunks are in a list; each begins with this. */
struct early_chunk {
  struct early_chunk *next;
  size_t bytes, used;
};

/* Stands before each block. */
struct block {
  size_t bytes;
  size_t unused; /* keeps blocks at multiples of GRANULE */
};

struct early_chunk *early_chunks;
static struct spin_lock chunk_lock;

static struct early_chunk *
add_chunk(size_t at_least)
{
  size_t bytes = CHUNK_BYTES;
  struct early_chunk *c;
  while (bytes < at_least)
    bytes *= 2;
  c = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
           -1, 0);
  if (c == MAP_FAILED)
    return NULL;
  c->bytes = bytes;
  c->used = sizeof *c;
  c->next = early_chunks;
  __atomic_store_n(&early_chunks, c, __ATOMIC_RELEASE);
  return c;
}

void *
early_allocate(size_t alignment, size_t bytes)
{
  struct early_chunk *c;
  uintptr_t at, end;
  if (alignment < GRANULE)
    alignment = GRANULE;
  if (bytes > SIZE_MAX / 4 || alignment > SIZE_MAX / 4) {
    errno = ENOMEM;
    return NULL;
  }
  spin_lock(&chunk_lock);
  c = early_chunks;
  for (int attempt = 0; attempt < 2; attempt++) {
    if (c != NULL) {
      at = (uintptr_t)c + c->used + sizeof(struct block);
      at = (at + alignment - 1) / alignment * alignment;
      end = at + bytes;
      if (end <= (uintptr_t)c + c->bytes) {
        c->used = end - (uintptr_t)c;
        ((struct block *)at)[-1].bytes = bytes;
        spin_unlock(&chunk_lock);
        return (void *)at;
      }
    }
    c = add_chunk(sizeof *c + sizeof(struct block) + alignment + bytes);
    if (c == NULL)
      break;
  }
  spin_unlock(&chunk_lock);
  errno = ENOMEM;
  return NULL;
}

bool
early_has(const void *address)
{
  const struct early_chunk *c =
      __atomic_load_n(&early_chunks, __ATOMIC_ACQUIRE);
  for (; c != NULL; c = c->next)
    if ((uintptr_t)address - (uintptr_t)c < c->bytes)
      return true;
  return false;
}

size_t
early_size(const void *address)
{
  return ((const struct block *)address)[-1].bytes;
}
