/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* "Did you mean ...?" for a word that is not known: the nearest of those that
 * are.
 *
 * How far two words are apart is the number of letters to insert, remove or
 * replace and of neighbours to exchange (optimal string alignment), whatever
 * their case.  A word that contains the unknown one is one step away.  Of
 * words that are equally near the first counts, and only those count that are
 * at most a third of the unknown word away.
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

/* The first LENGTH bytes of UNKNOWN must outlive what is given back. */
struct suggestion suggestion_for(const char *unknown, size_t length);

/* Offers the first LENGTH bytes of WORD. */
void suggestion_offer(struct suggestion *suggestion, const char *word,
                      size_t length);

/* Offers NAME, that of a function, file, type or thread, and each of its
 * parts: APP::PARSE, APP and PARSE. */
void suggestion_offer_name(struct suggestion *suggestion, const char *name);

/* What ends a message: "; did you mean --limit?" with "--" as PREFIX, or "".
 */
struct suggestion_text {
  char text[SUGGESTION_LENGTH + 20];
};
struct suggestion_text suggestion_text(const struct suggestion *suggestion,
                                       const char *prefix);

#endif
