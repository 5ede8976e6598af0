/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* "Did you mean ...?" for an unknown word: the nearest of the known ones, by
 * the number of letters to insert, remove or replace (Levenshtein distance),
 * ignoring case.  A word that contains the unknown one is one step away; one
 * that is further than a third of its length is not suggested.
 */

#ifndef MPROF_SUGGESTION_H
#define MPROF_SUGGESTION_H

#include <stddef.h>

enum { SUGGESTION_LENGTH = 80 };

struct suggestion {
  const char *unknown; /* not owned */
  size_t length, distance;
  char word[SUGGESTION_LENGTH]; /* the nearest so far; "" for none */
};

/* Returns an empty suggestion for the first LENGTH bytes of UNKNOWN, which
 * must outlive it. */
struct suggestion suggestion_for(const char *unknown, size_t length);

/* Offers NAME and each of its parts: APP::PARSE, APP and PARSE. */
void suggestion_offer(struct suggestion *suggestion, const char *name);

/* Returns the end of a message: "; did you mean --limit?" with "--" as PREFIX,
 * or "". */
struct suggestion_text {
  char text[SUGGESTION_LENGTH + 20];
};
struct suggestion_text suggestion_text(const struct suggestion *suggestion,
                                       const char *prefix);

#endif
