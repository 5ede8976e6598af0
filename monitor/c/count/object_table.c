/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "c/count/object_table.h"

#include <errno.h>

#include "image/signals.h"

static size_t
capacity(const struct object_table *t)
{
  return (size_t)1 << t->bits;
}

/* Sets the count, which others read without the lock. */
static void
set_count(struct object_table *t, size_t count)
{
  __atomic_store_n(&t->count, count, __ATOMIC_RELAXED);
}

/* Returns where the object at `address' belongs. */
static size_t
home_slot(const struct object_table *t, uintptr_t address)
{
  return (address * UINT64_C(0x9E3779B97F4A7C15)) >> (64 - t->bits);
}

/* Returns where the object is, or the free place where it would be. */
static struct object_record *
find_place(const struct object_table *t, uintptr_t address)
{
  size_t i = home_slot(t, address);
  while (t->objects[i].address != address && t->objects[i].address != 0)
    i = (i + 1) & (capacity(t) - 1);
  return &t->objects[i];
}

static void
use_first_places(struct object_table *t)
{
  if (t->objects == NULL) {
    t->objects = t->first;
    t->bits = OBJECT_TABLE_BITS;
  }
}

/* Moves the objects into twice as many places; returns false without memory.
 * No handler of a signal may jump away from it. */
static bool
grow(struct object_table *t)
{
  struct signals_held signals;
  struct object_record *const old = t->objects;
  struct arena old_arena = t->arena, arena;
  const size_t count = capacity(t);
  if (arena_reserve(&arena, 2 * count * sizeof *t->objects) != 0)
    return false;
  signals_hold(&signals);
  t->arena = arena;
  t->objects = arena.base;
  t->bits++;
  for (size_t i = 0; i < count; i++)
    if (old[i].address != 0)
      *find_place(t, old[i].address) = old[i];
  signals_let_go(&signals);
  arena_release(&old_arena);
  return true;
}

void
object_table_make_room(struct object_table *t, size_t more)
{
  spin_lock(&t->lock);
  use_first_places(t);
  while ((t->count + more) * 4 > capacity(t) * 3 && grow(t))
    ;
  spin_unlock(&t->lock);
}

bool
object_table_reserve(struct object_table *t)
{
  const int saved = errno;
  spin_lock(&t->lock);
  use_first_places(t);
  const bool room = (t->count + 1) * 4 <= capacity(t) * 3 || grow(t) ||
                    t->count + 2 <= capacity(t);
  set_count(t, t->count + room);
  spin_unlock(&t->lock);
  errno = saved;
  return room;
}

void
object_table_put(struct object_table *t, const struct object_record *object)
{
  spin_lock(&t->lock);
  struct object_record *const place = find_place(t, object->address);
  set_count(t, t->count - (place->address != 0));
  *place = *object;
  spin_unlock(&t->lock);
}

/* Frees the place GAP; moves objects that a search would not find then. */
static void
close_gap(struct object_table *t, size_t gap)
{
  const size_t mask = capacity(t) - 1;
  for (size_t i = (gap + 1) & mask; t->objects[i].address != 0;
       i = (i + 1) & mask)
    if (((i - home_slot(t, t->objects[i].address)) & mask) >=
        ((i - gap) & mask)) {
      t->objects[gap] = t->objects[i];
      gap = i;
    }
  t->objects[gap].address = 0;
}

bool
object_table_remove(struct object_table *t, uintptr_t address,
                    struct object_record *object)
{
  if (__atomic_load_n(&t->count, __ATOMIC_RELAXED) == 0)
    return false;
  spin_lock(&t->lock);
  const struct object_record *const there = find_place(t, address);
  const bool found = there->address != 0;
  if (found) {
    *object = *there;
    close_gap(t, (size_t)(there - t->objects));
  }
  spin_unlock(&t->lock);
  return found;
}

void
object_table_unreserve(struct object_table *t)
{
  spin_lock(&t->lock);
  set_count(t, t->count - 1);
  spin_unlock(&t->lock);
}
