/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * arena.c -- address space from mmap.  MAP_NORESERVE: what is reserved and
 * never touched costs page-table entries only when it is touched.
 */
#include "image/arena.h"

#include <errno.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>

#include "arch/arch.h"
#include "base/sizes.h"
#include "image/image.h"
#include "image/image_parts.h"

enum { PAGE = ARCH_PAGE };

static size_t
whole_pages(size_t bytes)
{
  return (bytes + PAGE - 1) & ~(size_t)(PAGE - 1);
}

/* ---- asking the kernel ---- */

void
arenas_seal(void)
{
  __atomic_store_n(&image.sealed, true, __ATOMIC_RELAXED);
}

void
arenas_unseal(void)
{
  __atomic_store_n(&image.sealed, false, __ATOMIC_RELAXED);
}

bool
arenas_are_sealed(void)
{
  return __atomic_load_n(&image.sealed, __ATOMIC_RELAXED);
}

/* Returns true if the kernel may be asked for memory; else false, with errno
 * ENOMEM. */
static bool
may_ask(void)
{
  if (arenas_are_sealed())
    errno = ENOMEM;
  return !arenas_are_sealed();
}

/* Maps zeroed memory at `hint' if that is free, else (and for NULL) anywhere.
 * Returns its address, or MAP_FAILED with errno. */
static void *
map(void *hint, size_t bytes, int how)
{
  if (!may_ask())
    return MAP_FAILED;
  return mmap(hint, bytes, PROT_READ | PROT_WRITE,
              MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | how, -1, 0);
}

/* Maps zeroed memory at PLACE.  Returns false with errno set if that fails:
 * EEXIST if something is mapped there. */
static bool
map_there(void *place, size_t bytes)
{
  void *const mapped = map(place, bytes, 0);
  if (mapped != place && mapped != MAP_FAILED) {
    munmap(mapped, bytes);
    errno = EEXIST;
  }
  return mapped == place;
}

/* ---- arenas ---- */

static int
reserve(struct arena *arena, size_t bytes, int how)
{
  bytes = whole_pages(bytes);
  void *const base = map(NULL, bytes, how);
  *arena = (struct arena){0};
  if (base == MAP_FAILED)
    return -1;
  arena->base = base;
  arena->reserved_bytes = bytes;
  return 0;
}

/* Places are numbered, a gigabyte each, in the midst of what the kernel gives
 * to nobody: it begins below the stacks and goes down.  (An address has 47 or
 * 48 bits, or 39 or 42, as kernels for AArch64 are configured.)  There is no
 * place for many in a row (of 5000 threads, or in the small address space of
 * a sanitizer's program): then the address space for all is held at once.  It
 * is no part of the image until it is reached. */
#define TERABYTE ((uintptr_t)1 << 40)
enum { PLACE_BITS = 30, PLACES = 1 << 14, TRIES = 64 };

static void *
next_place(size_t most)
{
  const uintptr_t here = (uintptr_t)&image;
  const uintptr_t first = here > 64 * TERABYTE  ? here - 32 * TERABYTE
                          : here > TERABYTE / 4 ? here / 2
                                                : here + 8 * TERABYTE;
  const uintptr_t number = __atomic_fetch_add(
      &image.next_place, (most >> PLACE_BITS) + 1, __ATOMIC_RELAXED);
  return (void *)(((first >> PLACE_BITS) + number % PLACES) << PLACE_BITS);
}

/* Gives an arena that does not move its place. */
static int
place(struct arena *arena, size_t bytes)
{
  for (int i = 0; i < TRIES; i++) {
    void *const there = next_place(arena->most);
    if (map_there(there, bytes)) {
      arena->base = there;
      arena->reserved_bytes = bytes;
      return 0;
    }
    if (errno != EEXIST)
      return -1;
  }
  void *const held = map(NULL, arena->most, 0);
  if (held == MAP_FAILED)
    return -1;
  arena->base = held;
  arena->held_bytes = whole_pages(arena->most);
  arena->reserved_bytes = bytes;
  return 0;
}

/* Makes an arena that is in the image longer there.  What is held behind it
 * has to go before. */
static bool
reach_in_image(struct arena *arena, char *end, size_t more, bool held)
{
  if (held)
    munmap(end, more);
  if (image_extend(arena, more))
    return true;
  if (held && !map_there(end, more))
    arena->held_bytes = arena->reserved_bytes;
  return false;
}

int
arena_reach(struct arena *arena, size_t bytes)
{
  char *const end = (char *)arena->base + arena->reserved_bytes;
  bool held, reached;
  if (bytes <= arena->reserved_bytes)
    return 0;
  bytes = whole_pages(bytes);
  if (arena->base == NULL)
    return place(arena, bytes);
  held = bytes <= arena->held_bytes;
  if (!may_ask())
    return -1;
  const size_t more = bytes - arena->reserved_bytes;
  if (image_has(arena->base))
    reached = reach_in_image(arena, end, more, held);
  else
    reached = held || map_there(end, more);
  if (!reached)
    return -1;
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
  if (arena->base == NULL && arena->most != 0)
    return arena_reach(arena, bytes);
  while (room < bytes)
    room *= 2;
  if (arena->most != 0)
    return arena_reach(arena, room <= arena->most ? room : bytes);
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
  if (arena->base != NULL && !arenas_are_sealed()) {
    image_release(arena->base);
    munmap(arena->base, arena->held_bytes != 0 ? arena->held_bytes
                                               : arena->reserved_bytes);
  }
  *arena = (struct arena){.most = arena->most};
}

void
arena_shorten(struct arena *arena, size_t bytes)
{
  bytes = whole_pages(bytes);
  if (arena->reserved_bytes <= bytes)
    return;
  if (arena->held_bytes == 0)
    arena->held_bytes = arena->reserved_bytes;
  arena->reserved_bytes = bytes;
}

/* Asks the kernel for zeroed pages where it can; else writes zeroes, since
 * the kernel keeps locked pages (mlockall) and clears none of a file. */
void
arena_clear(struct arena *arena)
{
  if (arena->base != NULL &&
      (arenas_are_sealed() || image_has(arena->base) ||
       madvise(arena->base, arena->reserved_bytes, MADV_DONTNEED) != 0))
    memset(arena->base, 0, arena->reserved_bytes);
}
