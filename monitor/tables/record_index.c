/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tables/record_index.h"

#include "base/sizes.h"

enum { MOST_BITS = 30 };

/* Doubles the number of slots, or makes the first ones.  Returns false, with
 * nothing changed, if there is no memory or there are 2^MOST_BITS. */
static bool
grow(struct record_index *index)
{
  struct record_index larger = {.bits = SIZE_INDEX_BITS};
  const struct index_slot *const slots = index->arena.base;
  if (slots != NULL)
    larger.bits = index->bits + 1;
  if (larger.bits > MOST_BITS ||
      arena_reserve(&larger.arena, record_index_bytes(&larger)) != 0)
    return false;
  for (size_t i = 0; slots != NULL && i < (size_t)1 << index->bits; i++)
    if (slots[i].number != 0)
      record_index_add(&larger, slots[i].hash, slots[i].number);
  arena_release(&index->arena);
  *index = larger;
  return true;
}

bool
record_index_reach(struct record_index *index, uint32_t more)
{
  while (index->arena.base == NULL ||
         ((uint64_t)index->used + more) * 4 > (UINT64_C(3) << index->bits))
    if (!grow(index))
      return false;
  return true;
}

void
record_index_add(struct record_index *index, uint32_t hash, uint32_t number)
{
  struct index_slot *slot = record_index_begin(index, hash);
  while (slot->number != 0)
    slot = record_index_next(index, slot);
  *slot = (struct index_slot){.hash = hash, .number = number};
  index->used++;
}

/* Gives pages back, and begins with the first few slots again. */
void
record_index_clear(struct record_index *index)
{
  arena_clear(&index->arena);
  index->used = 0;
  index->bits = SIZE_INDEX_BITS;
}
