/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * shared_table.h -- what is known of places in code, for all threads of a
 * process: numbers by their keys.
 *
 * A key is an address in code, other than 0, shifted left by one; in the free
 * bit its owner says what is known.
 *
 * Open addressing with linear probing, at most half full.  Readers take no
 * lock: an entry's value is complete before its key is written, and changes
 * no more; a table that has become too small stays where it is for those who
 * still read it, and one of twice the size takes its place.  Changes are made
 * one at a time, with the table's lock held.
 *
 * A key that is forgotten leaves its place to the next new one that passes
 * it.  So nobody may look for it while it is forgotten: it is of code that is
 * gone.
 *
 * Takes memory from the kernel alone; may run inside the hook.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/attributes.h"
#include "image/spin_lock.h"

struct shared_entry {
  uint64_t key;   /* 0: none; see SHARED_TABLE_FORGOTTEN; atomic */
  uint64_t value; /* the owner's; constant once `key' is written */
};

/* `entries' is published in one word, so that readers see the entries and
 * their number together: their address, which is a multiple of 64, plus the
 * number of bits by which a hash is shifted right to become a place. */
struct shared_table {
  const char *entries; /* atomic; changed under `lock' */
  size_t count; /* places not empty, also of forgotten keys; under `lock' */
  struct spin_lock lock; /* held for changes, not for look-ups */
};

enum { SHARED_TABLE_SHIFT = 63 };

/* The entries of an empty table: two places, with a key in neither. */
extern const struct shared_entry shared_table_nothing[4] HIDDEN;

#define SHARED_TABLE_EMPTY                                                   \
  {                                                                          \
    .entries = (const char *)shared_table_nothing + SHARED_TABLE_SHIFT       \
  }

#define SHARED_TABLE_FORGOTTEN UINT64_MAX

/* Returns the entry of KEY, or NULL if it is not there.  Takes no lock. */
HOOK_INLINE const struct shared_entry *
shared_table_find(const struct shared_table *table, uint64_t key)
{
  const uintptr_t entries =
      (uintptr_t)__atomic_load_n(&table->entries, __ATOMIC_ACQUIRE);
  const unsigned shift = entries & SHARED_TABLE_SHIFT;
  const struct shared_entry *const first =
      (const struct shared_entry *)(entries - shift);
  size_t i = (key * UINT64_C(0x9E3779B97F4A7C15)) >> shift;
  for (;;) {
    const uint64_t found = __atomic_load_n(&first[i].key, __ATOMIC_ACQUIRE);
    if (__builtin_expect(found == key, 1))
      return &first[i];
    if (found == 0)
      return NULL;
    i = (i + 1) & ((size_t)-1 >> shift);
  }
}

/* Returns the value of KEY, or 0 if it is not there.  Takes no lock. */
HOOK_INLINE uint64_t
shared_table_value(const struct shared_table *table, uint64_t key)
{
  const struct shared_entry *entry = shared_table_find(table, key);
  return entry != NULL ? entry->value : 0;
}

/* Makes room for MORE keys.  Returns false if there is no memory.  To be
 * called with the lock held. */
bool shared_table_reserve(struct shared_table *table, size_t more);

/* Adds a key, neither 0 nor SHARED_TABLE_FORGOTTEN, that is not there.
 * Returns false if there is no memory.  To be called with the lock held. */
bool shared_table_add(struct shared_table *table, uint64_t key,
                      uint64_t value);

/* Removes the keys of code from START to END, inclusive, which nobody may
 * look for meanwhile.  To be called with the lock held.  Cost: a pass over
 * all places. */
void shared_table_forget(struct shared_table *table, uintptr_t start,
                         uintptr_t end);
