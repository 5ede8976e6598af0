/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * record_index.c -- extendible hashing of 32-bit record numbers.
 *
 * Nothing is ever taken out of it, so a search ends at the first empty slot.
 * Records of one hash cannot be split apart: the last quarter of a bucket is
 * for them, and if that is full too there is no room.
 */
#include "image/record_index.h"

#include <stddef.h>
#include <string.h>

enum { FULL = SIZE_BUCKET / 4 * 3 - 1, MOST_DEPTH = 20 };
_Static_assert(sizeof(union index_bucket) == SIZE_BUCKET * 8, "a bucket");

/* A directory of that depth with the buckets of the present one. */
static bool
deepen(struct record_index *index, uint32_t depth)
{
  struct arena arena;
  uint32_t *directory;
  if (arena_reserve(&arena, sizeof *directory << depth) != 0)
    return false;
  directory = arena.base;
  if (index->directory != NULL)
    for (uint32_t i = 0; i < 1u << depth; i++)
      directory[i] = index->directory[i >> (depth - index->depth)];
  arena_release(&index->directory_arena);
  index->directory_arena = arena;
  index->directory = directory;
  index->depth = depth;
  return true;
}

int
record_index_init(struct record_index *index)
{
  memset(index, 0, sizeof *index);
  if (arena_reserve(&index->bucket_arena, sizeof *index->buckets) != 0 ||
      !deepen(index, 0)) {
    record_index_release(index);
    return -1;
  }
  index->buckets = index->bucket_arena.base;
  index->bucket_count = 1;
  return 0;
}

void
record_index_release(struct record_index *index)
{
  arena_release(&index->bucket_arena);
  arena_release(&index->directory_arena);
}

void
record_index_clear(struct record_index *index)
{
  arena_clear(&index->bucket_arena);
  arena_clear(&index->directory_arena);
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
  record_index_bucket(index, hash)->used++;
}

/* Sort the slots of the bucket of `hash' into that and a new one. */
static void
split(struct record_index *index, uint32_t hash)
{
  union index_bucket *const old = record_index_bucket(index, hash);
  const uint32_t new = index->bucket_count++, depth = old->depth + 1,
                 places = 1u << (index->depth - depth),
                 first = (uint32_t)((uint64_t)hash >> (32 - depth) | 1)
                         << (index->depth - depth);
  const union index_bucket before = *old;
  *old = (union index_bucket){.depth = depth};
  index->buckets[new] = (union index_bucket){.depth = depth};
  for (uint32_t i = 0; i < places; i++)
    index->directory[first + i] = new;
  for (uint32_t i = 1; i < SIZE_BUCKET; i++)
    if (before.slots[i].number != 0)
      record_index_add(index, before.slots[i].hash, before.slots[i].number);
}

/* Room for one bucket more, and for twice as many places in the directory if
 * that bucket needs them. */
static bool
make_room(struct record_index *index, bool deeper)
{
  if (arena_grow(&index->bucket_arena, (index->bucket_count + (size_t)1) *
                                           sizeof *index->buckets) != 0)
    return false;
  index->buckets = index->bucket_arena.base;
  return !deeper || deepen(index, index->depth + 1);
}

bool
record_index_reach(struct record_index *index, uint32_t hash)
{
  const union index_bucket *b;
  while (b = record_index_bucket(index, hash), b->used >= FULL) {
    if (b->depth == MOST_DEPTH)
      return b->used < SIZE_BUCKET - 2;
    if (!make_room(index, b->depth == index->depth))
      return false;
    split(index, hash);
  }
  return true;
}

uint64_t
record_index_bytes(const struct record_index *index)
{
  return index->bucket_count * sizeof *index->buckets +
         (sizeof *index->directory << index->depth);
}
