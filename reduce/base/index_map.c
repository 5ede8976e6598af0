/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Open addressing with linear probing over a table of a power of two.  Two
 * rounds of multiplication spread keys that differ in few bits, and in either
 * half (pairs of small numbers, ids counted from one).
 */

#include "base/index_map.h"

#include "base/array.h"

struct index_slot {
  uint64_t key;
  uint32_t number; /* 1 + the index; 0: free */
};

void
index_map_release(struct index_map *map)
{
  free(map->slots);
  *map = (struct index_map){0};
}

/* The slot that holds KEY, or the free one where it belongs. */
static struct index_slot *
slot_of(const struct index_map *map, uint64_t key)
{
  uint64_t hash = key * UINT64_C(0x9e3779b97f4a7c15);
  hash = (hash ^ hash >> 32) * UINT64_C(0x9e3779b97f4a7c15);
  size_t slot = (size_t)(hash >> 32) & (map->slot_count - 1);
  while (map->slots[slot].number != 0 && map->slots[slot].key != key)
    slot = (slot + 1) & (map->slot_count - 1);
  return &map->slots[slot];
}

uint32_t
index_map_find(const struct index_map *map, uint64_t key)
{
  return map->slot_count == 0 ? INDEX_NONE : slot_of(map, key)->number - 1;
}

static bool
grow(struct index_map *map)
{
  struct index_map larger = *map;
  larger.slot_count = map->slot_count == 0 ? 64 : map->slot_count * 2;
  larger.slots = array_zeroed(larger.slot_count, sizeof *larger.slots);
  if (larger.slots == NULL)
    return false;
  for (size_t i = 0; i < map->slot_count; i++)
    if (map->slots[i].number != 0)
      *slot_of(&larger, map->slots[i].key) = map->slots[i];
  free(map->slots);
  *map = larger;
  return true;
}

bool
index_map_add(struct index_map *map, uint64_t key, uint32_t index)
{
  if (map->used * 2 >= map->slot_count && !grow(map))
    return false;
  *slot_of(map, key) = (struct index_slot){key, index + 1};
  map->used++;
  return true;
}

uint32_t
index_map_number(struct index_map *map, uint64_t key)
{
  uint32_t index = index_map_find(map, key);
  if (index != INDEX_NONE)
    return index;
  index = (uint32_t)map->used;
  return index_map_add(map, key, index) ? index : INDEX_NONE;
}
