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
#ifndef MPROF_ARENA_H
#define MPROF_ARENA_H

#include <stdbool.h>
#include <stddef.h>

struct arena {
  void *base; /* NULL when nothing is reserved */
  size_t reserved_bytes;
  size_t held_bytes; /* of address space, where nobody else gets what is
                        behind it; 0: no more than is reserved */
  size_t most;       /* bytes that it may have, where it is; 0: it moves */
};

/* Reserve `bytes' of zeroed address space, from the beginning of a page.
 * Gives back 0, or -1 with errno set (ENOMEM).  May run inside the hook. */
int arena_reserve(struct arena *arena, size_t bytes);

/* The same for an arena that does not move. */
int arena_place(struct arena *arena, size_t bytes, size_t most);

/* Make such an arena so many whole pages long.  Gives back 0, or -1 with
 * errno set and nothing changed.  May run inside the hook. */
int arena_reach(struct arena *arena, size_t bytes);

/* Maps zeroed memory at PLACE, where nothing may be.  Returns false with errno:
 * EEXIST if something is. */
bool arena_map_there(void *place, size_t bytes);

/* arena_reserve with all of its pages, for a table to be filled at once: a
 * page that is read before it is written to costs two faults.  Without memory
 * for them it has none. */
int arena_reserve_pages(struct arena *arena, size_t bytes);

/* Make it, or an arena that is all zero but for `most', `bytes' long or
 * longer: if need be at least twice as long as it was, as far as `most'
 * allows.  What is there stays.  Gives back 0, or -1 with errno set (ENOMEM)
 * and nothing changed.  May run inside the hook. */
int arena_grow(struct arena *arena, size_t bytes);

/* The record with that number, from 0 on, of an arena that has such records and
 * is grown for it; NULL: there is no memory. */
static inline void *
arena_record(struct arena *arena, size_t number, size_t size)
{
  return arena_grow(arena, (number + 1) * size) == 0
             ? (char *)arena->base + number * size
             : NULL;
}

/* Gives the pages back, and keeps `most'; harmless on an empty arena. */
void arena_release(struct arena *arena);

/* Makes an arena that does not move BYTES long, if it is longer.  What is behind
 * that stays mapped, but is no part of it. */
void arena_shorten(struct arena *arena, size_t bytes);

/* Gives the pages back, but not the address space: all is zero again. */
void arena_clear(struct arena *arena);

/* The kernel is no longer asked, as a filter of system calls might end the
 * program for that: no memory is reserved or given back. */
void arenas_seal(void);
bool arenas_are_sealed(void);

#endif
