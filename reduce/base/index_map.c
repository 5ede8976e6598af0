/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Open addressing with linear probing over a table of a power of two.  A
 * multiplication spreads keys that differ in few bits, and in either half
 * (pairs of small numbers, ids counted from one); a second one, by a number
 * that no file knows, keeps apart those that were chosen to meet.
 *
 * The rows of a table are in one array of words.  The key of a row is a hash
 * of it, or the first number after that which no other row has.
 */

#include "base/index_map.h"

#include <sys/auxv.h>

__extension__ typedef unsigned __int128 uint128;

#define GOLDEN_RATIO UINT64_C(0x9e3779b97f4a7c15)

static uint64_t secret = GOLDEN_RATIO; /* odd */

static void __attribute__((constructor)) find_secret(void)
{
  const void *random = (const void *)(uintptr_t)getauxval(AT_RANDOM);
  if (random != NULL)
    memcpy(&secret, random, sizeof secret);
  secret |= 1;
}

static uint64_t
mix(uint64_t number)
{
  uint128 product = (uint128)number * secret;
  return (uint64_t)(product >> 64) ^ (uint64_t)product;
}

uint64_t
index_map_hash(const void *bytes, size_t length)
{
  const char *at = bytes;
  uint64_t hash = secret ^ length;
  uint64_t word;
  for (; length >= sizeof word; at += sizeof word, length -= sizeof word) {
    memcpy(&word, at, sizeof word);
    hash = mix(hash ^ word);
  }
  word = 0;
  if (length > 0)
    memcpy(&word, at, length);
  return mix(hash ^ word);
}

struct index_slot {
  uint64_t key;
  uint32_t number; /* 1 + the index; 0: free */
};

void
index_map_release(struct index_map *map)
{
  pool_free(map->slots);
  *map = (struct index_map){0};
}

/* Returns the slot that holds KEY, or the free one where it belongs. */
static struct index_slot *
slot_of(const struct index_map *map, uint64_t key)
{
  uint64_t hash = key * GOLDEN_RATIO;
  hash = mix(hash ^ hash >> 32);
  size_t slot = (size_t)((uint128)hash * map->slot_count >> 64);
  while (map->slots[slot].number != 0 && map->slots[slot].key != key)
    slot = (slot + 1) & (map->slot_count - 1);
  return &map->slots[slot];
}

uint32_t
index_map_find(const struct index_map *map, uint64_t key)
{
  return map->slot_count == 0 ? INDEX_NONE : slot_of(map, key)->number - 1;
}

static void
grow(struct index_map *map)
{
  struct index_map larger = *map;
  larger.slot_count = map->slot_count == 0 ? 64 : map->slot_count * 2;
  larger.slots = pool_zeroed(larger.slot_count, sizeof *larger.slots);
  for (size_t i = 0; i < map->slot_count; i++)
    if (map->slots[i].number != 0)
      *slot_of(&larger, map->slots[i].key) = map->slots[i];
  pool_free(map->slots);
  *map = larger;
}

void
index_map_add(struct index_map *map, uint64_t key, uint32_t index)
{
  if (map->used * 2 >= map->slot_count)
    grow(map);
  *slot_of(map, key) = (struct index_slot){key, index + 1};
  map->used++;
}

uint32_t
index_map_number(struct index_map *map, uint64_t key)
{
  uint32_t index = index_map_find(map, key);
  if (index == INDEX_NONE) {
    if (map->used >= INDEX_NONE)
      fail_memory();
    index = (uint32_t)map->used;
    index_map_add(map, key, index);
  }
  return index;
}

/* ---- rows ---- */

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
