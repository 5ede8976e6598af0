/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Open addressing with linear probing over a table of a power of two.  A
 * multiplication spreads keys that differ in few bits, and in either half
 * (pairs of small numbers, ids counted from one); a second one, by a number
 * that no file knows, keeps apart those that were chosen to meet.
 */

#include "base/index_map.h"

#include "base/array.h"

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
