/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * record_index.c -- an open-addressed index of 32-bit record numbers.
 *
 * Nothing is ever taken out of it, so a search ends at the first empty slot.
 */
#include "tree/record_index.h"

#include <stddef.h>

#include "tree/sizes.h"

static int
reserve(struct record_index *index, uint32_t slots)
{
  struct arena arena;
  if (arena_reserve_pages(&arena, (size_t)slots * sizeof *index->slots) != 0)
    return -1;
  arena_release(&index->arena);
  index->arena = arena;
  index->slots = arena.base;
  index->mask = slots - 1;
  index->used = 0;
  return 0;
}

int
record_index_init(struct record_index *index, uint32_t most)
{
  uint32_t numbers = 1;
  while (numbers < most)
    numbers = numbers << 1 | 1;
  index->tag = ~numbers;
  return reserve(index, SIZE_FIRST_INDEX);
}

void
record_index_release(struct record_index *index)
{
  arena_release(&index->arena);
}

void
record_index_clear(struct record_index *index)
{
  arena_clear(&index->arena);
  index->mask = SIZE_FIRST_INDEX - 1;
  index->used = 0;
}

/* Put records into an empty index. */
static void
fill(struct record_index *index, record_hash_fn *hash_of, const void *closure,
     uint32_t first, uint32_t count)
{
  for (uint32_t i = first; i < count; i++) {
    const uint64_t hash = hash_of(closure, i);
    if (hash != RECORD_NOT_INDEXED)
      record_index_add(index, (uint32_t)hash, i);
  }
}

bool
record_index_double(struct record_index *index, record_hash_fn *hash_of,
                    const void *closure, uint32_t first, uint32_t count)
{
  if (reserve(index, (index->mask + 1) * 2) != 0)
    return false;
  fill(index, hash_of, closure, first, count);
  return true;
}

void
record_index_refill(struct record_index *index, record_hash_fn *hash_of,
                    const void *closure, uint32_t first, uint32_t count)
{
  arena_clear(&index->arena);
  index->used = 0;
  fill(index, hash_of, closure, first, count);
}
