/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * number_map.c -- open addressing, at most half full.
 */
#include "write/number_map.h"
#include "tree/sizes.h"

#include <stdlib.h>
#include <string.h>

static size_t
hash(uint64_t key)
{
  key *= 0x9E3779B97F4A7C15ull;
  return (size_t)(key ^ (key >> 32));
}

static int
grow(struct number_map *m)
{
  size_t room = m->room == 0 ? SIZE_FIRST_ROOM : m->room * 2;
  uint64_t *keys = realloc(m->keys, room * sizeof *keys);
  uint32_t *slots;
  if (keys == NULL)
    return -1;
  m->keys = keys;
  slots = calloc(room * 2, sizeof *slots);
  if (slots == NULL)
    return -1;
  free(m->slots);
  m->slots = slots;
  m->mask = room * 2 - 1;
  m->room = room;
  for (size_t i = 0; i < m->count; i++) {
    size_t h = hash(m->keys[i]);
    while (slots[h & m->mask] != 0)
      h++;
    slots[h & m->mask] = (uint32_t)i + 1;
  }
  return 0;
}

uint64_t
number_map_add(struct number_map *m, uint64_t key)
{
  size_t h = hash(key);
  if (m->count == m->room && grow(m) != 0)
    return 0;
  for (; m->slots[h & m->mask] != 0; h++)
    if (m->keys[m->slots[h & m->mask] - 1] == key)
      return m->slots[h & m->mask];
  m->keys[m->count++] = key;
  m->slots[h & m->mask] = (uint32_t)m->count;
  return m->count;
}

void
number_map_release(struct number_map *m)
{
  free(m->keys);
  free(m->slots);
  memset(m, 0, sizeof *m);
}
