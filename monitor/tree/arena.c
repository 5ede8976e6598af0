/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * arena.c -- address space from mmap.  MAP_NORESERVE: what is reserved and
 * never touched costs page-table entries only when it is touched.
 */
#include "tree/arena.h"

#include <errno.h>
#include <sys/mman.h>

#include "tree/sizes.h"

static bool sealed;

void
arenas_seal(void)
{
  __atomic_store_n(&sealed, true, __ATOMIC_RELAXED);
}

bool
arenas_are_sealed(void)
{
  return __atomic_load_n(&sealed, __ATOMIC_RELAXED);
}

/* The kernel, for memory. */
static bool
may_ask(void)
{
  if (arenas_are_sealed())
    errno = ENOMEM;
  return !arenas_are_sealed();
}

static int
reserve(struct arena *arena, size_t bytes, int how)
{
  void *base = MAP_FAILED;
  if (may_ask())
    base = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
                MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | how, -1, 0);
  if (base == MAP_FAILED) {
    arena->base = NULL;
    arena->reserved_bytes = 0;
    return -1;
  }
  arena->base = base;
  arena->reserved_bytes = bytes;
  return 0;
}

int
arena_reserve(struct arena *arena, size_t bytes)
{
  return reserve(arena, bytes, 0);
}

int
arena_reserve_pages(struct arena *arena, size_t bytes)
{
  return reserve(arena, bytes, MAP_POPULATE);
}

int
arena_grow(struct arena *arena, size_t bytes)
{
  size_t room =
      arena->base == NULL ? SIZE_FIRST_ARENA : arena->reserved_bytes;
  void *moved;
  if (bytes <= arena->reserved_bytes)
    return 0;
  while (room < bytes)
    room *= 2;
  if (arena->base == NULL)
    return arena_reserve(arena, room);
  if (!may_ask())
    return -1;
  moved = mremap(arena->base, arena->reserved_bytes, room, MREMAP_MAYMOVE);
  if (moved == MAP_FAILED)
    return -1;
  arena->base = moved;
  arena->reserved_bytes = room;
  return 0;
}

void
arena_release(struct arena *arena)
{
  if (arena->base != NULL && !arenas_are_sealed())
    munmap(arena->base, arena->reserved_bytes);
  arena->base = NULL;
  arena->reserved_bytes = 0;
}

void
arena_clear(struct arena *arena)
{
  if (arena->base != NULL && !arenas_are_sealed())
    madvise(arena->base, arena->reserved_bytes, MADV_DONTNEED);
}

void
arena_wipe_on_fork(struct arena *arena)
{
  madvise(arena->base, arena->reserved_bytes, MADV_WIPEONFORK);
}
