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
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "image/arena.h"

struct index_slot {
  uint32_t hash, number;
};

struct record_index { /* all zero: holds nothing, not for a search yet */
  struct arena arena; /* the slots */
  uint32_t used;      /* number of records */
  uint32_t bits;      /* base-2 logarithm of the number of slots */
};

/* Makes room for MORE records.  Returns false if there is no memory. */
bool record_index_reach(struct record_index *index, uint32_t more);

/* Adds the record NUMBER, not 0, which must not be in it.  The caller has
 * made room (record_index_reach). */
void record_index_add(struct record_index *index, uint32_t hash,
                      uint32_t number);

/* Removes all records; keeps the address space. */
void record_index_clear(struct record_index *index);

/* Returns the bytes that the slots take. */
static inline uint64_t
record_index_bytes(const struct record_index *index)
{
  return sizeof(struct index_slot) << index->bits;
}

/* Returns the slot where a search for HASH begins, and record_index_next the
 * one to look at next.  The index must have slots (record_index_reach). */
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
