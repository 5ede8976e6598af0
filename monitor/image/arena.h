/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * arena.h -- arrays that grow, for memory that the hook may take.
 *
 * An arena has address space from the kernel, which gives it pages as they
 * are touched: no malloc, no collector.  Address space is limited too
 * (RLIMIT_AS), and what is reserved here the program does not get.  So an
 * array takes as much as it has elements, and becomes longer in one of two
 * ways.  One whose elements must not move stands where there is nothing
 * behind it: a pointer into it stays good until release.  Others move.
 *
 * Not thread safe: one owner.  A reader in another thread may read the
 * elements below a count that the owner published to it.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

struct arena {
  void *base;            /* first element; NULL when nothing is reserved */
  size_t reserved_bytes; /* its length, in whole pages */
  size_t held_bytes;     /* address space mapped from `base' on, where it is
                            longer than the arena; else 0 */
  size_t most; /* limit in bytes, for one that does not move; 0: it moves */
};

/* Reserves `bytes' of zeroed address space, from the beginning of a page.
 * Returns 0, or -1 with errno set (ENOMEM).  May run inside the hook. */
int arena_reserve(struct arena *arena, size_t bytes);

/* Makes an arena that does not move, and may be all zero but for `most',
 * BYTES long, in whole pages, but never shorter.  Returns 0, or -1 with errno
 * set and nothing changed.  May run inside the hook. */
int arena_reach(struct arena *arena, size_t bytes);

/* Reserves as arena_reserve does, and touches all pages, for a table that is
 * filled at once: a page that is read before it is written to costs two
 * faults.  Returns 0 also if there was no memory to touch them. */
int arena_reserve_pages(struct arena *arena, size_t bytes);

/* Makes an arena, which may be all zero but for `most', `bytes' long or
 * longer.  One that grows becomes at least twice as long as it was, as far as
 * `most' allows.  Keeps its contents.  Returns 0, or -1 with errno set
 * (ENOMEM) and nothing changed.  May run inside the hook. */
int arena_grow(struct arena *arena, size_t bytes);

/* Returns the address of record NUMBER, from 0 on, in an arena of records of
 * SIZE bytes, which it grows if need be; NULL if there is no memory. */
static inline void *
arena_record(struct arena *arena, size_t number, size_t size)
{
  return arena_grow(arena, (number + 1) * size) == 0
             ? (char *)arena->base + number * size
             : NULL;
}

/* Gives all memory back to the kernel, unless sealed, and zeroes all fields
 * but `most'.  May be called for an empty arena. */
void arena_release(struct arena *arena);

/* Shortens an arena that does not move to BYTES, in whole pages; never makes
 * it longer.  The memory behind stays mapped (`held_bytes'). */
void arena_shorten(struct arena *arena, size_t bytes);

/* Zeroes all elements.  Gives pages back, but keeps the address space. */
void arena_clear(struct arena *arena);

/* Ends all system calls of the monitor, since a filter might end the program
 * for one, or lets them be made again.  Meanwhile functions that need memory
 * fail with ENOMEM, arena_release gives none back, no file is opened, and
 * arenas_are_sealed returns true. */
void arenas_seal(void);
void arenas_unseal(void);
bool arenas_are_sealed(void);
