/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * intern_table.h -- keys numbered from 1 in the order of their first use.
 *
 * A key is some bytes, of which the table keeps a copy: a number or a text.
 * One table has keys of one sort.
 *
 * One owner, no locks.  Memory is the kernel's: may run where the hook may.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "image/arena.h"
#include "tables/record_index.h"

struct intern_table { /* all zero: empty */
  uint32_t count;     /* number of keys, and the last one's number */
  struct arena ends;  /* size_t by number: offset in `bytes' of a key's end */
  struct arena bytes; /* all keys, one after the other */
  struct record_index index; /* numbers by the hashes of keys */
};

/* Returns the number of the key of N bytes; adds a copy of it if it is new.
 * Returns 0 if there is no memory, or there are UINT32_MAX keys. */
uint32_t intern_bytes(struct intern_table *table, const void *key, size_t n);

static inline uint32_t
intern_key(struct intern_table *table, uint64_t key)
{
  return intern_bytes(table, &key, sizeof key);
}

/* Returns the number of the key of N bytes; 0 if it is not there. */
uint32_t intern_find(const struct intern_table *table, const void *key,
                     size_t n);

static inline uint32_t
intern_find_key(const struct intern_table *table, uint64_t key)
{
  return intern_find(table, &key, sizeof key);
}

/* Returns key NUMBER, which must exist, of a table filled by intern_key. */
static inline uint64_t
intern_table_key(const struct intern_table *table, uint32_t number)
{
  return ((const uint64_t *)table->bytes.base)[number - 1];
}

/* Empties the table and gives its memory back. */
void intern_table_release(struct intern_table *table);
