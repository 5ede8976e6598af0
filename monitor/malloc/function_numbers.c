/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * function_numbers.c -- one table with two kinds of keys: the beginnings of
 * functions, and the call sites that were asked for.  Open addressing, at
 * most half full.  The key of what was forgotten stays as one that nothing
 * has.
 */
#include "malloc/function_numbers.h"

#include <stdbool.h>
#include <stddef.h>

#include "tree/arena.h"
#include "walk/frame_rule.h"
#include "tree/sizes.h"

enum { MOST = (1 << 26) - 1 }; /* numbers that a context has room for */

struct entry {
  uint64_t key; /* 0: none */
  uint32_t number;
};

static struct {
  struct arena arena;
  struct entry *entries;
  size_t count, mask;
  uint32_t last; /* number */
} known;

#define FORGOTTEN UINT64_MAX

static uint64_t
key_of_site(uintptr_t site)
{
  return (uint64_t)site << 1;
}

static uint64_t
key_of_function(uintptr_t start)
{
  return (uint64_t)start << 1 | 1;
}

static size_t
find(const struct entry *entries, size_t mask, uint64_t key)
{
  size_t i = (size_t)((key * UINT64_C(0x9E3779B97F4A7C15)) >> 20) & mask;
  while (entries[i].key != key && entries[i].key != 0)
    i = (i + 1) & mask;
  return i;
}

static bool
grow(void)
{
  const size_t places =
      known.entries == NULL ? SIZE_FIRST_INDEX : 2 * (known.mask + 1);
  struct arena arena;
  struct entry *entries;
  if (arena_reserve(&arena, places * sizeof *entries) != 0)
    return false;
  entries = arena.base;
  known.count = 0;
  for (size_t i = 0; known.entries != NULL && i <= known.mask; i++)
    if (known.entries[i].key != 0 && known.entries[i].key != FORGOTTEN) {
      entries[find(entries, places - 1, known.entries[i].key)] =
          known.entries[i];
      known.count++;
    }
  arena_release(&known.arena);
  known.arena = arena;
  known.entries = entries;
  known.mask = places - 1;
  return true;
}

/* The entry of `key', which has no number when it is new; NULL when there is
 * no memory. */
static struct entry *
entry_of(uint64_t key)
{
  struct entry *entry;
  if ((known.entries == NULL || known.count * 2 > known.mask) && !grow())
    return NULL;
  entry = &known.entries[find(known.entries, known.mask, key)];
  if (entry->key == 0) {
    entry->key = key;
    known.count++;
  }
  return entry;
}

static uint32_t
next_number(void)
{
  return known.last < MOST ? ++known.last : 0;
}

uint32_t
function_number(uintptr_t site)
{
  struct entry *entry = entry_of(key_of_site(site));
  uintptr_t start;
  uint32_t number;
  if (entry == NULL || entry->number != 0)
    return entry == NULL ? 0 : entry->number;
  start = frame_rule_function(site - 1);
  if (start == 0) {
    entry->number = next_number();
    return entry->number;
  }
  entry = entry_of(key_of_function(start)); /* which may move the other */
  if (entry == NULL)
    return 0;
  if (entry->number == 0)
    entry->number = next_number();
  number = entry->number;
  known.entries[find(known.entries, known.mask, key_of_site(site))].number =
      number;
  return number;
}

void
function_numbers_forget(uintptr_t start, uintptr_t end)
{
  for (size_t i = 0; known.entries != NULL && i <= known.mask; i++) {
    struct entry *entry = &known.entries[i];
    if (entry->key >> 1 >= start && entry->key >> 1 <= end)
      *entry = (struct entry){.key = FORGOTTEN};
  }
}
