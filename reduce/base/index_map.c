/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Open addressing with linear probing over a table of a power of two.  A
 * slot is free when its index is INDEX_NONE.  Two rounds of
 * multiplication spread keys that differ in few bits, and in either half
 * (pairs of small numbers, ids counted from one).
 */

#include "base/index_map.h"

#include <stdlib.h>

struct index_slot {
  uint64_t key;
  uint32_t index;
};

void
index_map_init(struct index_map *map)
{
  map->slots = NULL;
  map->slot_count = 0;
  map->used = 0;
}

void
index_map_release(struct index_map *map)
{
  free(map->slots);
  index_map_init(map);
}

/* The slot that holds KEY, or the free one where it belongs. */
static size_t
slot_of(const struct index_slot *slots, size_t slot_count, uint64_t key)
{
  uint64_t hash = key * UINT64_C(0x9e3779b97f4a7c15);
  hash = (hash ^ hash >> 32) * UINT64_C(0x9e3779b97f4a7c15);
  size_t slot = (size_t)(hash >> 32) & (slot_count - 1);
  while (slots[slot].index != INDEX_NONE && slots[slot].key != key)
    slot = (slot + 1) & (slot_count - 1);
  return slot;
}

uint32_t
index_map_find(const struct index_map *map, uint64_t key)
{
  if (map->slot_count == 0)
    return INDEX_NONE;
  return map->slots[slot_of(map->slots, map->slot_count, key)].index;
}

static bool
grow(struct index_map *map)
{
  size_t slot_count = map->slot_count == 0 ? 64 : map->slot_count * 2;
  if (slot_count > SIZE_MAX / sizeof *map->slots)
    return false;
  struct index_slot *slots = malloc(slot_count * sizeof *slots);
  if (slots == NULL)
    return false;
  for (size_t i = 0; i < slot_count; i++)
    slots[i].index = INDEX_NONE;
  for (size_t i = 0; i < map->slot_count; i++)
    if (map->slots[i].index != INDEX_NONE)
      slots[slot_of(slots, slot_count, map->slots[i].key)] = map->slots[i];
  free(map->slots);
  map->slots = slots;
  map->slot_count = slot_count;
  return true;
}

bool
index_map_add(struct index_map *map, uint64_t key, uint32_t index)
{
  if (map->used * 2 >= map->slot_count && !grow(map))
    return false;
  size_t slot = slot_of(map->slots, map->slot_count, key);
  map->slots[slot].key = key;
  map->slots[slot].index = index;
  map->used++;
  return true;
}
