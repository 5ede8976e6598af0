/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * record_index.h -- finding records in an array by what they hold.
 *
 * Model.  Extendible hashing (Fagin, Nievergelt, Pippenger and Strong,
 * "Extendible Hashing", ACM TODS 4(3), 1979).  The upper bits of a hash choose
 * a bucket through the directory; the lower ones begin a search in it, by
 * linear probing.  A slot has the hash of a record and its number:
 *
 *     directory    [ 0 | 0 | 1 | 2 ]            by the upper `depth' bits
 *     buckets      0: depth 1    1: depth 2    2: depth 2
 *     slots        [ h3 3 | 0 | h7 7 | ... ]    of each bucket
 *
 * A bucket that is three quarters full is split by one bit more of the hash.
 * So the index grows by a bucket at a time: the longest pause is to sort the
 * slots of one bucket, or to copy the directory, which has one number for
 * hundreds of records.  No record is read for that, and a search reads only
 * records with the same hash.
 *
 * Number 0 is an empty slot, so no record has it.  The search is written out
 * where it is needed, for only there it is known what makes records equal:
 *
 *     for (struct index_slot *s = record_index_begin(index, hash);
 *          s->number != 0; s = record_index_next(s))
 *       if (s->hash == hash && ... s->number ...)
 *
 * One owner, no locks, no malloc: all may run inside the hook.
 */
#ifndef MPROF_RECORD_INDEX_H
#define MPROF_RECORD_INDEX_H

#include <stdbool.h>
#include <stdint.h>

#include "base/sizes.h"
#include "image/arena.h"

struct index_slot {
  uint32_t hash, number;
};

union index_bucket {
  struct {
    uint32_t used;  /* slots but for this, which stands in the first one */
    uint32_t depth; /* upper bits that all of its hashes have in common */
  };
  struct index_slot slots[SIZE_BUCKET];
};

struct record_index { /* all zero: holds nothing, not for use yet */
  union index_bucket *buckets;
  uint32_t *directory;
  uint32_t bucket_count;
  uint32_t depth; /* of the directory, which has 2 to the power of it */
  struct arena bucket_arena, directory_arena;
};

/* An empty index.  Gives back 0, or -1 with errno set. */
int record_index_init(struct record_index *index);
void record_index_release(struct record_index *index);

/* Empty it; keeps the address space. */
void record_index_clear(struct record_index *index);

/* Make room for a record with that hash.  False, with nothing changed: the
 * kernel gave no memory. */
bool record_index_reach(struct record_index *index, uint32_t hash);

/* Add a record, for which there is room. */
void record_index_add(struct record_index *index, uint32_t hash,
                      uint32_t number);

/* Bytes that it takes. */
uint64_t record_index_bytes(const struct record_index *index);

static inline union index_bucket *
record_index_bucket(const struct record_index *index, uint32_t hash)
{
  return &index->buckets
              [index->directory[(uint64_t)hash >> (32 - index->depth)]];
}

static inline struct index_slot *
record_index_begin(const struct record_index *index, uint32_t hash)
{
  return &record_index_bucket(index, hash)
              ->slots[1 + hash % (SIZE_BUCKET - 1)];
}

/* Buckets begin at multiples of their size, as arenas begin at pages. */
static inline struct index_slot *
record_index_next(struct index_slot *slot)
{
  slot++;
  return (uintptr_t)slot % sizeof(union index_bucket) != 0
             ? slot
             : slot - SIZE_BUCKET + 1;
}

#endif
