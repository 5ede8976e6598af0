/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * intern_table.h -- keys numbered from 1 in the order of their first use.
 *
 * A key is some bytes, of which the table keeps a copy: a number or a text.
 * One table has keys of one sort.
 *
 * One owner, no locks.  Memory is the kernel's: may run where the hook may.
 */
#ifndef MPROF_INTERN_TABLE_H
#define MPROF_INTERN_TABLE_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "image/arena.h"
#include "tables/record_index.h"

struct intern_table { /* all zero: empty */
  uint32_t count;     /* the last number */
  struct arena ends;  /* size_t by number: where in `bytes' a key ends */
  struct arena bytes; /* of all keys, one after the other */
  struct record_index index;
};

/* The number of the key, a new one when it is new; 0 when there is no memory
 * or there are UINT32_MAX keys. */
uint32_t intern_bytes(struct intern_table *table, const void *key, size_t n);

static inline uint32_t
intern_key(struct intern_table *table, uint64_t key)
{
  return intern_bytes(table, &key, sizeof key);
}

/* The number of the key; 0: the table does not have it. */
uint32_t intern_find(const struct intern_table *table, const void *key,
                     size_t n);

static inline uint32_t
intern_find_key(const struct intern_table *table, uint64_t key)
{
  return intern_find(table, &key, sizeof key);
}

static inline uint32_t
intern_text(struct intern_table *table, const char *text)
{
  return intern_bytes(table, text, strlen(text) + 1);
}

/* The key with that number, of a table of numbers. */
static inline uint64_t
intern_table_key(const struct intern_table *table, uint32_t number)
{
  return ((const uint64_t *)table->bytes.base)[number - 1];
}

/* Empty it and give its memory back. */
void intern_table_release(struct intern_table *table);

#endif
