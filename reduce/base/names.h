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
  const struct names *base; /* has the first ids; NULL: there is none */
  const char **texts;       /* by id, also those of the base */
  size_t count, capacity;   /* of texts */
  struct index_map ids;     /* of own texts, by hash: see names.c */
};

/* Makes NAMES an empty table that knows "". */
void names_init(struct names *names);

/* Makes NAMES a table that knows what BASE does, by the same ids; BASE must
 * outlive it, and gets no more names. */
void names_extend(struct names *names, const struct names *base);

/* Returns the id of TEXT; a copy is added if it is new. */
uint32_t names_intern(struct names *names, const char *text);

/* Returns the id of TEXT, NAMES_NONE when it has none. */
uint32_t names_find(const struct names *names, const char *text);

/* Returns a copy of TEXT, of a table, in which each \xNN from \x80 on is the
 * byte again, as in the name of a file; in the pool in use. */
char *names_bytes(const char *text);

/* Returns the text of ID; valid as long as the table. */
static inline const char *
names_text(const struct names *names, uint32_t id)
{
  return names->texts[id];
}

/* "Did you mean ...?" for an unknown word: the nearest of the known ones, by
 * the number of letters to insert, remove or replace (Levenshtein distance),
 * ignoring case.  A word that contains the unknown one is one step away; one
 * that is further than a third of its length is not suggested.
 */
struct suggestion {
  const char *unknown; /* not owned */
  size_t length;       /* of it, in bytes */
  size_t distance;     /* of `word'; without one, the least that is too far */
  const char *word;    /* the nearest so far, a copy; NULL: none */
};

/* Returns a suggestion without a word, for the first LENGTH bytes of UNKNOWN,
 * which must outlive it. */
static inline struct suggestion
suggestion_for(const char *unknown, size_t length)
{
  return (struct suggestion){unknown, length, (length + 1) / 3 + 1, NULL};
}

/* Makes NAME or a part of it the word of SUGGESTION if that is nearer than
 * the one before; parts of APP::PARSE are APP and PARSE. */
void suggestion_offer(struct suggestion *suggestion, const char *name);

/* A word of other programs, and what stands for it here. */
struct habit {
  const char *word;
  const char *here;
};

/* Makes what stands for the unknown word the word of SUGGESTION, if HABITS,
 * which end with a NULL, have it. */
void suggestion_by_habit(struct suggestion *suggestion,
                         const struct habit *habits);

/* Returns the end of a message: "; did you mean --limit?" with "--" as
 * PREFIX, or "". */
static inline const char *
suggestion_text(const struct suggestion *s, const char *prefix)
{
  return s->word == NULL || *s->word == '\0'
             ? ""
             : pool_format("; did you mean %s%s?", prefix, s->word);
}
