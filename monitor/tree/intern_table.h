/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * intern_table.h -- keys numbered from 1 in the order of their first use.
 *
 * A key is a number below INTERN_NO_KEY, or a text, of which the table keeps
 * a copy; one table has keys of one sort.
 *
 * One owner, no locks.  Memory is the kernel's and moves as the table grows:
 * may run where the hook may.
 */
#ifndef MPROF_INTERN_TABLE_H
#define MPROF_INTERN_TABLE_H

#include <stddef.h>
#include <stdint.h>

#include "tree/arena.h"
#include "tree/record_index.h"

enum { INTERN_MOST = (1 << 26) - 1 }; /* keys */
#define INTERN_NO_KEY (UINT64_MAX - INTERN_MOST)

struct intern_table { /* all zero: empty */
  uint32_t count;     /* the last number */
  struct arena keys;  /* uint64_t by number; of a text: where it begins */
  struct arena texts;
  size_t text_bytes;
  struct record_index index;
};

/* The number of the key, a new one when it is new; 0 when there is no memory
 * or there are INTERN_MOST keys. */
uint32_t intern_key(struct intern_table *table, uint64_t key);
uint32_t intern_text(struct intern_table *table, const char *text);

/* The key with that number, of a table of numbers. */
static inline uint64_t
intern_table_key(const struct intern_table *table, uint32_t number)
{
  return ((const uint64_t *)table->keys.base)[number];
}

/* Nothing has that number from now on, and its key gets another one. */
static inline void
intern_table_forget(struct intern_table *table, uint32_t number)
{
  ((uint64_t *)table->keys.base)[number] = INTERN_NO_KEY + number;
}

/* Empty it and give its memory back. */
void intern_table_release(struct intern_table *table);

#endif
