/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Rows of 64-bit words, of any length; equal rows have one index.  Indices
 * count from zero in the order of first appearance.  An addition costs the
 * length of its row.  Not safe for two threads.
 */

#pragma once

#include "base/array.h"
#include "base/index_map.h"

struct row_table { /* all zero: empty */
  uint64_t *words; /* of all rows */
  size_t word_count, word_capacity;
  size_t *ends; /* by row, where its words end */
  size_t row_count, end_capacity;
  struct index_map rows; /* by hash: see row_table.c */
};

void row_table_release(struct row_table *table);

/* Returns the index of the row of COUNT words at WORDS; adds it if it is new.
 */
uint32_t row_table_add(struct row_table *table, const uint64_t *words,
                       size_t count);

/* Returns the words of ROW, *COUNT of them, which are valid until the next
 * addition. */
const uint64_t *row_table_words(const struct row_table *table, size_t row,
                                size_t *count);
