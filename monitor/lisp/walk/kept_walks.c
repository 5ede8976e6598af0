/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * kept_walks.c -- see kept_walks.h. */
#include "lisp/walk/kept_walks.h"

#include "base/sizes.h"

static int
reserve(struct kept_walks *table, uint32_t places)
{
  struct arena arena;
  if (arena_reserve(
          &arena, places * (sizeof *table->keys + sizeof *table->walks)) != 0)
    return -1;
  arena_release(&table->arena);
  *table = (struct kept_walks){
      .keys = arena.base, .mask = places - 1, .arena = arena};
  table->walks = table->last = (void *)(table->keys + places);
  return 0;
}

int
kept_walks_init(struct kept_walks *table)
{
  return reserve(table, SIZE_FIRST_OBJECTS);
}

void
kept_walks_forget(struct kept_walks *table)
{
  arena_clear(&table->arena);
}

struct kept_walk *
kept_walks_note(struct kept_walks *table, uint64_t key)
{
  uint32_t place;
  if (++table->noted > table->mask && table->mask < SIZE_MOST_OBJECTS - 1)
    reserve(table, (table->mask + 1) * 4);
  place = (uint32_t)(key >> 40) & table->mask;
  if (table->keys[place].noted == key) {
    table->keys[place].kept = key;
    return &table->walks[place];
  }
  table->keys[place].noted = key;
  return NULL;
}
