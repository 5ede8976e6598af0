/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * shared_table.c -- see shared_table.h.
 */
#include "tables/shared_table.h"

#include "base/sizes.h"
#include "image/arena.h"

/* Takes 64 bytes, so that its address plus a shift still points into it. */
_Alignas(64) const struct shared_entry shared_table_nothing[4];

static unsigned
shift_of(const struct shared_table *table)
{
  return (uintptr_t)table->entries & SHARED_TABLE_SHIFT;
}

static struct shared_entry *
entries_of(const struct shared_table *table)
{
  return (struct shared_entry *)((uintptr_t)table->entries - shift_of(table));
}

static size_t
places(const struct shared_table *table)
{
  return (size_t)1 << (64 - shift_of(table));
}

/* Returns the place where the search for a key begins. */
static size_t
first_place(const struct shared_table *table, uint64_t key)
{
  return (key * UINT64_C(0x9E3779B97F4A7C15)) >> shift_of(table);
}

/* Adds a key that is not there, for which there is room. */
static void
put(struct shared_table *table, uint64_t key, uint64_t value)
{
  struct shared_entry *const entries = entries_of(table);
  const unsigned shift = shift_of(table);
  size_t i = first_place(table, key);
  while (entries[i].key != 0 && entries[i].key != SHARED_TABLE_FORGOTTEN)
    i = (i + 1) & ((size_t)-1 >> shift);
  table->count += entries[i].key == 0;
  entries[i].value = value;
  __atomic_store_n(&entries[i].key, key, __ATOMIC_RELEASE);
}

static bool
grow(struct shared_table *table)
{
  const struct shared_entry *const old = entries_of(table);
  const size_t count = places(table);
  const unsigned first = 64 - SIZE_SHARED_TABLE_BITS;
  const unsigned shift =
      shift_of(table) > first ? first : shift_of(table) - 1;
  struct shared_table larger = {.count = 0};
  struct arena arena;
  if (arena_reserve_pages(&arena, sizeof *old << (64 - shift)) != 0)
    return false;
  larger.entries = (const char *)arena.base + shift;
  for (size_t i = 0; i < count; i++)
    if (old[i].key != 0 && old[i].key != SHARED_TABLE_FORGOTTEN)
      put(&larger, old[i].key, old[i].value);
  __atomic_store_n(&table->entries, larger.entries, __ATOMIC_RELEASE);
  table->count = larger.count; /* afterwards: never too low, if a jump leaves
                                  this in between */
  return true;
}

bool
shared_table_reserve(struct shared_table *table, size_t more)
{
  while ((table->count + more) * 2 >= places(table))
    if (!grow(table))
      return false;
  return true;
}

bool
shared_table_add(struct shared_table *table, uint64_t key, uint64_t value)
{
  if (!shared_table_reserve(table, 1))
    return false;
  put(table, key, value);
  return true;
}

/* Returns true if the search for a key in the table passes PLACE. */
static bool
is_passed(const struct shared_table *table, size_t place)
{
  const struct shared_entry *const entries = entries_of(table);
  const size_t mask = places(table) - 1;
  for (size_t i = (place + 1) & mask; entries[i].key != 0; i = (i + 1) & mask)
    if (entries[i].key != SHARED_TABLE_FORGOTTEN &&
        ((i - first_place(table, entries[i].key)) & mask) >=
            ((i - place) & mask))
      return true;
  return false;
}

/* Empties places of forgotten keys that no search passes.  Else code that is
 * loaded in other places each time would fill tables of any size. */
static void
empty_places(struct shared_table *table)
{
  struct shared_entry *const entries = entries_of(table);
  const size_t count = places(table);
  for (size_t i = 0; i < count; i++)
    if (entries[i].key == SHARED_TABLE_FORGOTTEN && !is_passed(table, i)) {
      __atomic_store_n(&entries[i].key, 0, __ATOMIC_RELEASE);
      table->count--;
    }
}

void
shared_table_forget(struct shared_table *table, uintptr_t start,
                    uintptr_t end)
{
  struct shared_entry *const entries = entries_of(table);
  const size_t count = places(table);
  bool any = false;
  for (size_t i = 0; i < count; i++) {
    const uint64_t key = entries[i].key, address = key >> 1;
    if (key != 0 && key != SHARED_TABLE_FORGOTTEN && address >= start &&
        address <= end) {
      __atomic_store_n(&entries[i].key, SHARED_TABLE_FORGOTTEN,
                       __ATOMIC_RELEASE);
      any = true;
    }
  }
  if (any)
    empty_places(table);
}
