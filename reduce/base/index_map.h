/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* A map from 64-bit keys to 32-bit indices, for "have I seen this id, pair
 * or triple, and where did I put it".  Open addressing, at most half full:
 * O(1) a look-up, also when a file was made to have keys that collide: the
 * place of a key differs from process to process.  Keys are never removed.
 * It takes memory from the pool in use when it grows.  Not safe for two
 * threads.
 */

#pragma once

#include "base/array.h"

enum { INDEX_NONE = UINT32_MAX };

struct index_map {          /* all zero: empty */
  struct index_slot *slots; /* NULL while empty */
  size_t slot_count;        /* a power of two, or zero */
  size_t used;
};

/* Empties MAP, and releases its memory before the pool is. */
void index_map_release(struct index_map *map);

/* Returns the index stored under KEY, or INDEX_NONE. */
uint32_t index_map_find(const struct index_map *map, uint64_t key);

/* Stores INDEX (not INDEX_NONE) under KEY, which must not be there yet. */
void index_map_add(struct index_map *map, uint64_t key, uint32_t index);

/* Returns the index under KEY.  A new key gets `used' as its index, and is
 * stored; so indices count from zero if no key was added otherwise. */
uint32_t index_map_number(struct index_map *map, uint64_t key);

/* Returns a hash of LENGTH bytes at BYTES, to be a key.  It differs from
 * process to process, and different bytes may have the same. */
uint64_t index_map_hash(const void *bytes, size_t length);

/* Makes one key out of two 32-bit indices. */
static inline uint64_t
index_pair(uint32_t high, uint32_t low)
{
  return (uint64_t)high << 32 | low;
}

/* Rows of 64-bit words, of any length; equal rows have one index.  Indices
 * count from zero in the order of first appearance.  An addition costs the
 * length of its row. */
struct row_table { /* all zero: empty */
  uint64_t *words; /* of all rows */
  size_t word_count, word_capacity;
  size_t *ends; /* by row, where its words end */
  size_t row_count, end_capacity;
  struct index_map rows; /* by hash: see index_map.c */
};

/* Empties TABLE, and frees its memory before the pool is released. */
void row_table_release(struct row_table *table);

/* Returns the index of the row of COUNT words at WORDS; adds it if it is new.
 */
uint32_t row_table_add(struct row_table *table, const uint64_t *words,
                       size_t count);

/* Returns the words of ROW, *COUNT of them, which are valid until the next
 * addition. */
const uint64_t *row_table_words(const struct row_table *table, size_t row,
                                size_t *count);
