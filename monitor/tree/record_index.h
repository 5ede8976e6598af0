/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * record_index.h -- finding records in an array by what they hold.
 *
 *     slots:   [ 0 | a7 | 0 | b3 | c9 | 0 | ... ]   3, 7, 9: numbers of
 *                                                 records, a, b, c: tags
 *
 * Open addressing with linear probing, at most half full.  A slot is the
 * number of a record, 0 when it is empty; so no record has the number 0.  In
 * the bits above all numbers there can be, it has those of the record's hash:
 * its tag.  The records stand elsewhere, and where there are many of them
 * each look costs more than all else; so only those with the same tag are
 * looked at, and a search touches one cache line of the index and the record
 * itself, if it is there.  Hashes are not kept, so an index that is half full
 * can be made anew, twice as large, from the records alone: the old one is
 * given back first, and the two never take memory together.
 *
 * The search is written out where it is needed, for only there it is known
 * what makes records equal:
 *
 *     for (uint32_t i = hash & index->mask; (slot = index->slots[i]) != 0;
 *          i = (i + 1) & index->mask)
 *       if (record_index_may_be(index, slot, hash))
 *         ... record_index_number(index, slot) ...
 *
 * One owner, no locks, no malloc: all may run inside the hook.
 */
#ifndef MPROF_RECORD_INDEX_H
#define MPROF_RECORD_INDEX_H

#include <stdbool.h>
#include <stdint.h>

#include "tree/arena.h"

struct record_index {    /* all zero: holds nothing, not for use yet */
  uint32_t *slots;
  uint32_t mask;         /* slots less one; their number is a power of 2 */
  uint32_t used;         /* slots that are not empty */
  uint32_t tag;          /* the bits of a slot that are no number */
  struct arena arena;
};

/* The hash of a record, RECORD_NOT_INDEXED for one that is found otherwise;
 * `closure' knows where the records are. */
typedef uint64_t record_hash_fn(const void *closure, uint32_t number);
#define RECORD_NOT_INDEXED UINT64_MAX

/* An empty index of the first size, for numbers up to `most'.  Gives back 0,
 * or -1 with errno set. */
int record_index_init(struct record_index *index, uint32_t most);
void record_index_release(struct record_index *index);

/* Empty it; keeps the address space. */
void record_index_clear(struct record_index *index);

/* Index the records from `first' to before `count' anew, in twice as many
 * slots.  False, with nothing changed, when the kernel gave no memory. */
bool record_index_double(struct record_index *index, record_hash_fn *hash_of,
                         const void *closure, uint32_t first, uint32_t count);

/* Index them anew because hashes have changed. */
void record_index_refill(struct record_index *index, record_hash_fn *hash_of,
                         const void *closure, uint32_t first, uint32_t count);

/* Make room for the record `count' in the index of those from `first' on.
 * False as above. */
static inline bool
record_index_grow(struct record_index *index, record_hash_fn *hash_of,
                  const void *closure, uint32_t first, uint32_t count)
{
  return (index->used + 1) * 2 <= index->mask ||
         record_index_double(index, hash_of, closure, first, count);
}

/* Whether the record in the slot can have that hash. */
static inline bool
record_index_may_be(const struct record_index *index, uint32_t slot,
                    uint32_t hash)
{
  return ((slot ^ hash) & index->tag) == 0;
}

static inline uint32_t
record_index_number(const struct record_index *index, uint32_t slot)
{
  return slot & ~index->tag;
}

/* Add a record, for which there is room. */
static inline void
record_index_add(struct record_index *index, uint32_t hash, uint32_t number)
{
  uint32_t i = hash & index->mask;
  while (index->slots[i] != 0)
    i = (i + 1) & index->mask;
  index->slots[i] = number | (hash & index->tag);
  index->used++;
}

static inline uint64_t
record_index_bytes(const struct record_index *index)
{
  return ((uint64_t)index->mask + 1) * sizeof *index->slots;
}

#endif
