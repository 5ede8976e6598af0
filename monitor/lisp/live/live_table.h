/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * live_table.h -- the objects of one thread that the collector has not found
 * dead yet.
 *
 * Model.  An *entry* is for one request to the collector: the address, the
 * bytes, and the leaf of the thread's tree.  The hook appends one for each
 * request that it counts.  The end of a collection removes
 * those that were not marked, and marks the others as old: alive as of that
 * collection.  The body of an object, such as the data of an array, has an
 * entry of its own, which counts bytes and no object.
 *
 * Chunks.  Entries lie in a list of chunks of 64 KiB: 16 bytes an object.  The
 * thread appends to the first one, the *open* chunk, and puts a new one in
 * front when it is full; the collection compacts what lies behind the chunk
 * that was open when all was marked.  So a thread may be stopped anywhere, and
 * no lock is taken.  Chunks that became empty come back to the thread by one
 * exchange of a pointer; those that it did not need until the next collection
 * are given back to the kernel.
 *
 * Explicit frees.  An entry is emptied before its memory is freed, since the
 * address may be another object's next.  So at most one entry has an address.
 *
 * Peak.  The most bytes that a collection left alive, in all threads.  They
 * are added up by leaf when a collection leaves more than any before.
 *
 * Memory comes from mmap: nothing here keeps an object alive, for the
 * collector does not look into it. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <ecl/ecl.h>

#include "image/arena.h"
#include "tables/intern_table.h"

enum { LIVE_CHUNK_BYTES = 64 << 10, LIVE_CHUNK_ENTRIES = 4095 };

/* What kind of memory an entry stands for. */
enum live_kind {
  LIVE_OBJECT,
  LIVE_BODY,
  LIVE_MALLOC /* a body from malloc, which lives until it is freed */
};

struct live_entry {
  uint64_t memory; /* address in units of 16 bytes, enum live_kind, two flags,
                      upper 16 bits of the size; 0: the entry is empty */
  uint32_t leaf;   /* distance from the first leaf in units of 16 bytes */
  uint32_t bytes;  /* lower 32 bits of the size */
};
enum { LIVE_LEAF_UNITS = 3 }; /* those units in a leaf */
#define LIVE_ADDRESS(memory) ((memory) & (((uint64_t)1 << 44) - 1))
#define LIVE_KIND(memory) ((memory) >> 44 & 3)
#define LIVE_OLD ((uint64_t)1 << 46)     /* alive at the last collection */
#define LIVE_AT_PEAK ((uint64_t)1 << 47) /* counted at the peak */
enum { LIVE_KIND_SHIFT = 44, LIVE_SIZE_SHIFT = 48 };

struct live_chunk {
  struct live_chunk *next; /* older */
  uint32_t count;   /* entries; published when these are complete */
  uint32_t indexed; /* first entries, which are in the index; under the
                       collector's lock */
  struct live_entry entries[LIVE_CHUNK_ENTRIES];
};

struct live_table { /* all zero: nothing is followed */
  /* written by the thread */
  struct live_chunk *open;  /* all chunks, the open one first; published */
  struct live_chunk *spare; /* empty chunks */

  /* under the collector's lock */
  struct live_table *next;     /* table of another thread */
  struct live_chunk *returned; /* empty chunks for the thread to take, all at
                                  once; atomic */
  struct live_chunk *boundary; /* open chunk when all was marked */
  uint32_t boundary_count;     /* its entries then */
  struct arena peak;           /* struct live_count by leaf */
};

/* What all tables have in common. */
extern struct live { /* under the collector's lock */
  struct live_table *tables;
  uint64_t number; /* number of the last collection (GC_get_gc_no); 0: none
                      since the last reset */
  uint64_t peak_bytes; /* most that a collection left alive since then; 0:
                          there is no peak yet */
  uint64_t lost; /* requests for which there was no memory, since then, also
                    in a peak; atomic */

  /* The index by address, for an explicit free to find its entry among
     millions.  Has the first `indexed' entries of each chunk, and is emptied
     when entries move. */
  struct intern_table addresses; /* in units of 16 bytes */
  struct arena entries;          /* struct live_entry *, by number there */

  void (*next_listener)(GC_EventType); /* listener to call next, or NULL */
} live;

/* Counts a request for which there was no memory. */
static inline void
live_lose(void)
{
  __atomic_fetch_add(&live.lost, 1, __ATOMIC_RELAXED);
}

/* Appends an entry to a new chunk; without memory, counts it as lost. */
void live_table_add_slowly(struct live_table *, struct live_entry entry);

/* Appends an entry for a request counted at `leaf', whose distance from the
 * first one is in bytes, to a table that is followed.  Runs inside the hook.
 */
static inline __attribute__((always_inline)) void
live_table_add(struct live_table *t, const void *memory, uint64_t bytes,
               ptrdiff_t leaf, enum live_kind kind)
{
  const struct live_entry entry = {.memory =
                                       (uint64_t)(uintptr_t)memory >> 4 |
                                       (uint64_t)kind << LIVE_KIND_SHIFT |
                                       bytes >> 32 << LIVE_SIZE_SHIFT,
                                   .leaf = (uint32_t)(leaf >> 4),
                                   .bytes = (uint32_t)bytes};
  struct live_chunk *const open = t->open;
  const uint32_t count = open->count;
  if (__builtin_expect(count == LIVE_CHUNK_ENTRIES, 0)) {
    live_table_add_slowly(t, entry);
    return;
  }
  open->entries[count] = entry;
  __atomic_store_n(&open->count, count + 1, __ATOMIC_RELEASE);
}

/* Returns the size of the entry's memory, in bytes. */
static inline uint64_t
live_entry_bytes(const struct live_entry *e)
{
  return e->bytes | e->memory >> LIVE_SIZE_SHIFT << 32;
}

/* Returns whether the entry is for `memory'. */
static inline bool
live_entry_is_of(const struct live_entry *e, const void *memory)
{
  return LIVE_ADDRESS(e->memory) == (uint64_t)(uintptr_t)memory >> 4;
}

/* Returns whether objects are followed in the table. */
static inline bool
live_table_is_open(const struct live_table *t)
{
  return t->open != NULL;
}

/* Returns the list of all chunks; NULL if nothing is followed.  For any
 * thread, also while the table's own thread appends. */
static inline struct live_chunk *
live_chunks(const struct live_table *t)
{
  return __atomic_load_n(&t->open, __ATOMIC_ACQUIRE);
}

/* A place in a table: the entries of `chunk' from `next' on, and the chunks
 * behind it. */
struct live_cursor {
  struct live_chunk *chunk;
  uint32_t next;
};

/* Returns the next old entry and moves the cursor behind it; NULL at the end.
 * No collection may end meanwhile. */
static inline struct live_entry *
live_next(struct live_cursor *at)
{
  for (; at->chunk != NULL;
       *at = (struct live_cursor){.chunk = at->chunk->next})
    while (at->next < __atomic_load_n(&at->chunk->count, __ATOMIC_ACQUIRE)) {
      struct live_entry *const e = &at->chunk->entries[at->next++];
      if ((e->memory & LIVE_OLD) != 0)
        return e;
    }
  return NULL;
}

/* Moves the entry for `memory', if there is one, to the leaf at that distance
 * in bytes, also in the peak.  Takes the collector's lock.  For the table's
 * thread, also inside the hook.  The search is short: the entry is the last
 * or the one before, unless a signal handler or a finalizer ran since. */
void live_table_move(struct live_table *, const void *memory, ptrdiff_t leaf);

/* ---- figures by leaf ---- */

/* Objects and their bytes. */
struct live_count {
  uint64_t objects, bytes;
};

/* Figures of a leaf: what is alive as of the last collection, and what was at
 * the peak.  The same as struct image_live. */
struct live_figures {
  struct live_count alive, peak;
};

/* Adds what is alive to `sums', which has an element for each leaf of the
 * tree, and sets the peak there.  The world is stopped, and the thread not
 * inside the hook. */
void live_table_sum(const struct live_table *, struct live_figures *sums);

/* ---- what the collector says of the objects ----
 *
 * An object is alive as of a collection if that marked it, or kept it because
 * a finalizer is to run.  The collector is conservative: a word that looks
 * like the address keeps an object, too.
 *
 * Model.  When all is marked the world is stopped, and each table notes how
 * far it is filled (MARK_END).  When the collector has decided about
 * finalizers, and before it gives any memory out again, one pass goes over
 * all entries up to there (RECLAIM_END); other threads run, and append.  The
 * collector's lock is held from one to the other, as it is at explicit frees.
 * So the pass allocates nothing from the collector.
 *
 * Cost: the pass, some nanoseconds an entry; for a new peak another pass; for
 * an explicit free, to index the entries since the last such free, or all of
 * them after a collection. */

/* Begins to follow a table that is not open; returns false without memory.
 * live_collection_remove ends that, frees all chunks and zeroes the table; it
 * does nothing if nothing is followed.  Both take the collector's lock.  The
 * table's thread is not inside the hook. */
bool live_collection_add(struct live_table *);
void live_collection_remove(struct live_table *);
