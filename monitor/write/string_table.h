/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * string_table.h -- strings numbered from 0 in the order of their first use,
 * each kept once.  Not inside the hook.
 */
#ifndef MPROF_STRING_TABLE_H
#define MPROF_STRING_TABLE_H

#include <stddef.h>
#include <stdint.h>

struct string_table {    /* all zero: empty */
  char **strings;        /* owned */
  size_t count, room;
  uint32_t *slots;       /* open addressing: number + 1, 0 is empty */
  size_t mask;
};

/* The number of `s', which is copied when it is new; -1 when memory ran
 * out. */
int64_t string_table_add(struct string_table *table, const char *s);
void string_table_release(struct string_table *table);

#endif
