/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* "Did you mean ...?" for an unknown word: the nearest of the known ones, by
 * the number of letters to insert, remove or replace (Levenshtein distance),
 * ignoring case.  A word that contains the unknown one is one step away; one
 * that is further than a third of its length is not suggested.
 */

#pragma once

#include "base/pool.h"

struct suggestion {
  const char *unknown; /* not owned */
  size_t length;       /* of it, in bytes */
  size_t distance;     /* of `word', or of what would be too far */
  const char *word;    /* the nearest so far; NULL: there is none */
};

/* Returns an empty suggestion for the first LENGTH bytes of UNKNOWN, which
 * must outlive it. */
static inline struct suggestion
suggestion_for(const char *unknown, size_t length)
{
  return (struct suggestion){unknown, length, (length + 1) / 3 + 1, NULL};
}

/* Offers NAME and each of its parts: APP::PARSE, APP and PARSE. */
void suggestion_offer(struct suggestion *suggestion, const char *name);

/* Returns the end of a message: "; did you mean --limit?" with "--" as
 * PREFIX, or "". */
static inline const char *
suggestion_text(const struct suggestion *s, const char *prefix)
{
  return s->word == NULL || *s->word == '\0'
             ? ""
             : pool_format("; did you mean %s%s?", prefix, s->word);
}
