/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Open addressing with linear probing over row numbers; the rows themselves
 * are in one array of words.
 */

#include "base/row_table.h"

#include "base/array.h"

#include <string.h>

void
row_table_release(struct row_table *table)
{
  free(table->words);
  free(table->ends);
  free(table->slots);
  memset(table, 0, sizeof *table);
}

const uint64_t *
row_table_words(const struct row_table *table, size_t row, size_t *count)
{
  size_t start = row == 0 ? 0 : table->ends[row - 1];
  *count = table->ends[row] - start;
  return table->words + start;
}

static uint64_t
hash_words(const uint64_t *words, size_t count)
{
  uint64_t hash = count;
  for (size_t i = 0; i < count; i++) {
    hash = (hash ^ words[i]) * UINT64_C(0x9e3779b97f4a7c15);
    hash ^= hash >> 32;
  }
  return hash * UINT64_C(0x9e3779b97f4a7c15) >> 32;
}

/* The slot that holds the row of these words, or the free one for it. */
static size_t
slot_of(const struct row_table *table, const uint64_t *words, size_t count)
{
  size_t slot = (size_t)hash_words(words, count) & (table->slot_count - 1);
  while (table->slots[slot] != ROW_NONE) {
    size_t length;
    const uint64_t *row = row_table_words(table, table->slots[slot], &length);
    if (length == count &&
        (count == 0 || memcmp(row, words, count * sizeof *words) == 0))
      break;
    slot = (slot + 1) & (table->slot_count - 1);
  }
  return slot;
}

static bool
grow_slots(struct row_table *table)
{
  size_t slot_count = table->slot_count == 0 ? 64 : table->slot_count * 2;
  if (slot_count > SIZE_MAX / sizeof *table->slots)
    return false;
  uint32_t *slots = malloc(slot_count * sizeof *slots);
  if (slots == NULL)
    return false;
  for (size_t i = 0; i < slot_count; i++)
    slots[i] = ROW_NONE;
  free(table->slots);
  table->slots = slots;
  table->slot_count = slot_count;
  for (size_t row = 0; row < table->row_count; row++) {
    size_t count;
    const uint64_t *words = row_table_words(table, row, &count);
    slots[slot_of(table, words, count)] = (uint32_t)row;
  }
  return true;
}

uint32_t
row_table_add(struct row_table *table, const uint64_t *words, size_t count)
{
  if (table->row_count * 2 >= table->slot_count && !grow_slots(table))
    return ROW_NONE;
  size_t slot = slot_of(table, words, count);
  if (table->slots[slot] != ROW_NONE)
    return table->slots[slot];
  uint64_t *all = array_reserve(table->words, &table->word_capacity,
                                table->word_count + count, sizeof *all);
  if (all == NULL)
    return ROW_NONE;
  table->words = all;
  size_t *ends = array_reserve(table->ends, &table->end_capacity,
                               table->row_count + 1, sizeof *ends);
  if (ends == NULL || table->row_count >= ROW_NONE - 1) {
    if (ends != NULL)
      table->ends = ends;
    return ROW_NONE;
  }
  table->ends = ends;
  if (count > 0)
    memcpy(all + table->word_count, words, count * sizeof *words);
  table->word_count += count;
  ends[table->row_count] = table->word_count;
  table->slots[slot] = (uint32_t)table->row_count;
  return (uint32_t)table->row_count++;
}
