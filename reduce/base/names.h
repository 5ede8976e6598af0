/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Interned strings: equal text has one id, ids count from zero, id 0 is "".
 *
 * Text is kept as UTF-8.  Bytes that are no UTF-8 are stored as \xNN, so
 * that every output may rely on valid text.  Not safe for two threads.
 */

#pragma once

#include "base/index_map.h"

#define NAMES_NONE INDEX_NONE

struct names {
  const struct names *base; /* its texts come first; NULL: there is none */
  char **texts;             /* by id */
  size_t count, capacity;
  struct index_map ids; /* of own texts, by hash: see names.c */
};

/* Makes NAMES an empty table that knows "". */
void names_init(struct names *names);

/* Makes NAMES a table that knows what BASE does, by the same ids; BASE must
 * outlive it, and gets no more names. */
void names_extend(struct names *names, const struct names *base);

/* Returns the id of TEXT, which is copied. */
uint32_t names_intern(struct names *names, const char *text);

/* Returns the id of TEXT, NAMES_NONE when it has none. */
uint32_t names_find(const struct names *names, const char *text);

/* Returns TEXT, of a table, with each \xNN for a byte that is no UTF-8 as
 * that byte again, as a file is called; in the pool in use. */
char *names_bytes(const char *text);

/* Returns the text of ID; valid as long as the table. */
static inline const char *
names_text(const struct names *names, uint32_t id)
{
  return names->texts[id];
}
