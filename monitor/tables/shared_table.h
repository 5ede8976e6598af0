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
#ifndef MPROF_SHARED_TABLE_H
#define MPROF_SHARED_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/attributes.h"
#include "image/spin_lock.h"

struct shared_entry {
  uint64_t key; /* 0: none */
  uint64_t value;
};

/* Published in one word, so that readers see a place and the size that
 * belongs to it: the address of the entries, which is a multiple of 64, and
 * below it by how much a hash is shifted to become a place. */
struct shared_table {
  const char *entries;
  size_t count; /* of places that are taken, or were and are passed */
  struct spin_lock lock;
};

enum { SHARED_TABLE_SHIFT = 63 };

/* Two places, with nothing in them. */
extern const struct shared_entry shared_table_nothing[4] HIDDEN;

#define SHARED_TABLE_EMPTY                                                   \
  {.entries = (const char *)shared_table_nothing + SHARED_TABLE_SHIFT}

#define SHARED_TABLE_FORGOTTEN UINT64_MAX

/* The entry with that key, or NULL. */
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

/* The value of that key; 0: it is not there. */
HOOK_INLINE uint64_t
shared_table_value(const struct shared_table *table, uint64_t key)
{
  const struct shared_entry *entry = shared_table_find(table, key);
  return entry != NULL ? entry->value : 0;
}

/* Add a key, neither 0 nor SHARED_TABLE_FORGOTTEN, that is not there.  False:
 * there is no memory.  With the lock held. */
bool shared_table_add(struct shared_table *table, uint64_t key,
                      uint64_t value);

/* Forget what is known of the code from `start' to `end'.  With the lock
 * held.  Cost: a pass over all places. */
void shared_table_forget(struct shared_table *table, uintptr_t start,
                         uintptr_t end);

#endif
