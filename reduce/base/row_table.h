/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Rows of 64-bit words, of any length; equal rows have one index.  Indices
 * count from zero in the order of first appearance.  An addition costs the
 * length of its row.  Not safe for two threads.
 */

#ifndef MPROF_ROW_TABLE_H
#define MPROF_ROW_TABLE_H

#include "base/array.h"
#include "base/index_map.h"

#define ROW_NONE INDEX_NONE

struct row_table { /* all zero: empty */
  uint64_t *words; /* owned: of all rows */
  size_t word_count, word_capacity;
  size_t *ends; /* owned: by row, where its words end */
  size_t row_count, end_capacity;
  struct index_map rows; /* by hash: see row_table.c */
};

void row_table_release(struct row_table *table);

/* The index of the row of COUNT words at WORDS, added when new; ROW_NONE when
 * memory runs out. */
uint32_t row_table_add(struct row_table *table, const uint64_t *words,
                       size_t count);

/* For items of which each has a row, and the number of that: ROW, once the
 * item that is the last argument is appended to ITEMS of COUNT if the row is
 * new; ROW_NONE when memory runs out. */
#define ROW_ITEM(row, items, count, capacity, ...)                           \
  ((row) != (count) || ARRAY_PUSH(items, count, capacity, __VA_ARGS__)       \
       ? (row)                                                               \
       : ROW_NONE)

/* The words of ROW, *COUNT of them; valid until the next addition. */
const uint64_t *row_table_words(const struct row_table *table, size_t row,
                                size_t *count);

#endif
