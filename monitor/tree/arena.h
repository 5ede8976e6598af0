/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * arena.h -- arrays that grow in place, for memory that the hook may take.
 *
 * An arena reserves address space once and the kernel gives it pages as they
 * are touched.  So an element never moves, an index or a pointer into it
 * stays good until release, and growing is one comparison: no lock, no
 * malloc, no collector.  An array of which nobody knows how long it will be
 * can be made longer, and may move then (arena_grow).
 *
 * Not thread safe: one owner.  A reader in another thread may read the
 * elements below a count that the owner published to it.
 */
#ifndef MPROF_ARENA_H
#define MPROF_ARENA_H

#include <stdbool.h>
#include <stddef.h>

struct arena {
  void *base;           /* NULL when nothing is reserved */
  size_t reserved_bytes;
};

/* Reserve `bytes' of zeroed address space.  Gives back 0, or -1 with errno
 * set (ENOMEM).  May run inside the hook. */
int arena_reserve(struct arena *arena, size_t bytes);

/* The same with all of its pages, for a table that is about to be filled: a
 * page that is read before it is written to costs two faults.  Without memory
 * for them it has none. */
int arena_reserve_pages(struct arena *arena, size_t bytes);

/* Make it, or an arena that is all zero, `bytes' long or longer.  What is
 * there stays, but may move.  Gives back 0, or -1 with errno set (ENOMEM) and
 * nothing changed.  May run inside the hook. */
int arena_grow(struct arena *arena, size_t bytes);

/* Give the pages back; harmless on an arena that holds nothing. */
void arena_release(struct arena *arena);

/* Give back the pages but keep the address space: all elements are zero
 * again. */
void arena_clear(struct arena *arena);

/* The child of a fork has zeros there: then neither it nor this process takes
 * a page fault for each page that it writes to, to copy what is not needed.
 * Where the kernel cannot do that nothing changes: the child clears it. */
void arena_wipe_on_fork(struct arena *arena);

/* The kernel is no longer asked: nothing is reserved or given back. */
void arenas_seal(void);
bool arenas_are_sealed(void);

#endif
