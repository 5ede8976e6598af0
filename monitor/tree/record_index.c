/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * record_index.c -- extendible hashing of 32-bit record numbers.
 *
 * Nothing is ever taken out of it, so a search ends at the first empty slot.
 * Records of one hash cannot be split apart: the last quarter of a bucket is
 * for them, and if that is full too there is no room.
 */
#include "tree/record_index.h"

#include <stddef.h>
#include <string.h>

enum { FULL = SIZE_BUCKET / 4 * 3, MOST_DEPTH = 20 };

/* Room for so many buckets, and in the directory for such a depth. */
static bool
reach(struct record_index *index, uint32_t buckets, uint32_t depth)
{
  if (arena_grow(&index->slot_arena, (size_t)buckets * SIZE_BUCKET *
                                         sizeof *index->slots) != 0 ||
      arena_grow(&index->bucket_arena, buckets * sizeof *index->buckets) !=
          0 ||
      arena_grow(&index->directory_arena,
                 sizeof *index->directory << depth) != 0)
    return false;
  index->slots = index->slot_arena.base;
  index->buckets = index->bucket_arena.base;
  index->directory = index->directory_arena.base;
  return true;
}

int
record_index_init(struct record_index *index)
{
  memset(index, 0, sizeof *index);
  if (!reach(index, 1, 0)) {
    record_index_release(index);
    return -1;
  }
  index->bucket_count = 1;
  return 0;
}

void
record_index_release(struct record_index *index)
{
  arena_release(&index->slot_arena);
  arena_release(&index->directory_arena);
  arena_release(&index->bucket_arena);
}

void
record_index_clear(struct record_index *index)
{
  arena_clear(&index->slot_arena);
  arena_clear(&index->directory_arena);
  arena_clear(&index->bucket_arena);
  index->bucket_count = 1;
  index->depth = 0;
}

void
record_index_add(struct record_index *index, uint32_t hash, uint32_t number)
{
  struct index_slot *slot = record_index_begin(index, hash);
  while (slot->number != 0)
    slot = record_index_next(slot);
  *slot = (struct index_slot){.hash = hash, .number = number};
  index->buckets[record_index_bucket(index, hash)].used++;
}

/* Twice as many places in the directory, two for each that there was. */
static void
deepen(struct record_index *index)
{
  uint32_t *const directory = index->directory;
  for (uint32_t i = 1u << index->depth; i-- > 0;)
    directory[2 * i] = directory[2 * i + 1] = directory[i];
  index->depth++;
}

/* Sort the slots of the bucket of `hash' into that and a new one. */
static void
split(struct record_index *index, uint32_t hash)
{
  const uint32_t old = record_index_bucket(index, hash),
                 new = index->bucket_count++,
                 depth = ++index->buckets[old].depth,
                 places = 1u << (index->depth - depth),
                 first = (uint32_t)((uint64_t)hash >> (32 - depth) | 1)
                         << (index->depth - depth);
  struct index_slot *const from = &index->slots[old * SIZE_BUCKET];
  struct index_slot slots[SIZE_BUCKET];
  index->buckets[new] = (struct index_bucket){.depth = depth};
  index->buckets[old].used = 0;
  for (uint32_t i = 0; i < places; i++)
    index->directory[first + i] = new;
  memcpy(slots, from, sizeof slots);
  memset(from, 0, sizeof slots);
  for (uint32_t i = 0; i < SIZE_BUCKET; i++)
    if (slots[i].number != 0)
      record_index_add(index, slots[i].hash, slots[i].number);
}

bool
record_index_reach(struct record_index *index, uint32_t hash)
{
  for (;;) {
    const struct index_bucket *const b =
        &index->buckets[record_index_bucket(index, hash)];
    const bool deeper = b->depth == index->depth;
    if (b->used < FULL)
      return true;
    if (b->depth == MOST_DEPTH ||
        !reach(index, index->bucket_count + 1, index->depth + deeper))
      return b->used < SIZE_BUCKET - 1;
    if (deeper)
      deepen(index);
    split(index, hash);
  }
}

uint64_t
record_index_bytes(const struct record_index *index)
{
  return (uint64_t)index->bucket_count *
             (SIZE_BUCKET * sizeof *index->slots + sizeof *index->buckets) +
         (sizeof *index->directory << index->depth);
}
