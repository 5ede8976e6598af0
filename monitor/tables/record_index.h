/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * record_index.h -- finding records in an array by what they hold.
 *
 * Model.  A hash table with linear probing, at most three quarters full.  A
 * slot has the hash of a record and its number, so no record is read when the
 * table grows, and a search reads only records with the same hash.
 *
 * Number 0 is an empty slot, so no record has it.  The search is written out
 * where it is needed, for only there it is known what makes records equal:
 *
 *     for (struct index_slot *s = record_index_begin(index, hash);
 *          s->number != 0; s = record_index_next(index, s))
 *       if (s->hash == hash && ... s->number ...)
 *
 * One owner, no locks, no malloc: all may run inside the hook.
 */
#ifndef MPROF_RECORD_INDEX_H
#define MPROF_RECORD_INDEX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "image/arena.h"

struct index_slot {
  uint32_t hash, number;
};

struct record_index { /* all zero: holds nothing, not for a search yet */
  struct arena arena; /* of slots */
  uint32_t used;
  uint32_t bits; /* of the number of slots */
};

/* Makes room for a record; false without memory, with nothing changed. */
bool record_index_reach(struct record_index *index);

/* Add a record, for which there is room. */
void record_index_add(struct record_index *index, uint32_t hash,
                      uint32_t number);

/* Empty it. */
void record_index_clear(struct record_index *index);

/* Bytes that it takes. */
static inline uint64_t
record_index_bytes(const struct record_index *index)
{
  return sizeof(struct index_slot) << index->bits;
}

static inline struct index_slot *
record_index_begin(const struct record_index *index, uint32_t hash)
{
  return (struct index_slot *)index->arena.base +
         (hash >> (32 - index->bits));
}

static inline struct index_slot *
record_index_next(const struct record_index *index, struct index_slot *slot)
{
  struct index_slot *const first = index->arena.base;
  return ++slot == first + ((size_t)1 << index->bits) ? first : slot;
}

#endif
