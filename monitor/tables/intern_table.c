/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * intern_table.c -- see intern_table.h; the hash index is that of
 * record_index.h.
 */
#include "tables/intern_table.h"

#include <string.h>

static uint32_t
hash_bytes(const uint8_t *bytes, size_t n)
{
  uint64_t h = 0;
  for (; n > 0; n--)
    h = (h ^ *bytes++) * UINT64_C(0x100000001B3);
  return (uint32_t)((h * UINT64_C(0x9E3779B97F4A7C15)) >> 32);
}

static bool
is_key(const struct intern_table *t, uint32_t number, const void *key,
       size_t n)
{
  const size_t *const ends = t->ends.base;
  const size_t start = ends[number - 1];
  return ends[number] - start == n &&
         memcmp((const uint8_t *)t->bytes.base + start, key, n) == 0;
}

static uint32_t
add(struct intern_table *t, uint32_t hash, const void *key, size_t n)
{
  const uint32_t number = t->count + 1;
  size_t *ends;
  if (number == 0 || arena_record(&t->ends, number, sizeof *ends) == NULL)
    return 0;
  ends = t->ends.base;
  if (arena_grow(&t->bytes, ends[number - 1] + n) != 0 ||
      !record_index_reach(&t->index, 1))
    return 0;
  memcpy((uint8_t *)t->bytes.base + ends[number - 1], key, n);
  ends[number] = ends[number - 1] + n;
  record_index_add(&t->index, hash, number);
  return t->count = number;
}

static uint32_t
find(const struct intern_table *t, uint32_t hash, const void *key, size_t n)
{
  if (t->index.arena.base != NULL)
    for (struct index_slot *s = record_index_begin(&t->index, hash);
         s->number != 0; s = record_index_next(&t->index, s))
      if (s->hash == hash && is_key(t, s->number, key, n))
        return s->number;
  return 0;
}

uint32_t
intern_bytes(struct intern_table *t, const void *key, size_t n)
{
  const uint32_t hash = hash_bytes(key, n), known = find(t, hash, key, n);
  return known != 0 ? known : add(t, hash, key, n);
}

uint32_t
intern_find(const struct intern_table *t, const void *key, size_t n)
{
  return find(t, hash_bytes(key, n), key, n);
}

void
intern_table_release(struct intern_table *t)
{
  arena_release(&t->ends);
  arena_release(&t->bytes);
  arena_release(&t->index.arena);
  *t = (struct intern_table){0};
}
