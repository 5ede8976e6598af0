/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Finds the index of a row of words, or adds it.  The rows are in one array
 * of words.  The key of a row is a hash of it, or the first number after that
 * which no other row has. */

#include "base/row_table.h"

#include "base/array.h"

void
row_table_release(struct row_table *table)
{
  pool_free(table->words);
  pool_free(table->ends);
  index_map_release(&table->rows);
  memset(table, 0, sizeof *table);
}

const uint64_t *
row_table_words(const struct row_table *table, size_t row, size_t *count)
{
  size_t start = row == 0 ? 0 : table->ends[row - 1];
  *count = table->ends[row] - start;
  return table->words + start;
}

static bool
is_row(const struct row_table *table, uint32_t row, const uint64_t *words,
       size_t count)
{
  size_t length;
  const uint64_t *own = row_table_words(table, row, &length);
  return length == count &&
         (count == 0 || memcmp(own, words, count * sizeof *words) == 0);
}

uint32_t
row_table_add(struct row_table *table, const uint64_t *words, size_t count)
{
  uint64_t key = index_map_hash(words, count * sizeof *words);
  uint32_t row;
  while ((row = index_map_find(&table->rows, key)) != INDEX_NONE) {
    if (is_row(table, row, words, count))
      return row;
    key++;
  }
  row = (uint32_t)table->row_count;
  if (row >= INDEX_NONE - 1)
    fail_memory();
  ARRAY_ROOM(table->words, table->word_capacity, table->word_count + count);
  ARRAY_PUSH(table->ends, table->row_count, table->end_capacity,
             table->word_count + count);
  index_map_add(&table->rows, key, row);
  if (count > 0)
    memcpy(table->words + table->word_count, words, count * sizeof *words);
  table->word_count += count;
  return row;
}
