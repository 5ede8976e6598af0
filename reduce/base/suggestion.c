/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Computes the distance between an unknown word and each that is offered, and
 * keeps the nearest one. */

#include "base/suggestion.h"

#include <ctype.h>
#include <stdbool.h>
#include <string.h>
#include <sys/param.h>

void
suggestion_offer(struct suggestion *s, const char *name)
{
  enum { LONG_ENOUGH = 3, MOST = 80 };
  static const char between[] = " :()<>,;&*|/";
  bool whole = false;
  for (const char *next = name; !whole;) {
    size_t row[MOST]; /* distances of the beginnings of PART */
    const char *part = next + strspn(next, between);
    whole = *part == '\0';
    part = whole ? name : part;
    const size_t length = whole ? strlen(name) : strcspn(part, between);
    next = part + length;
    if (length >= MOST || s->length >= MOST)
      continue;
    for (size_t j = 0; j <= length; j++)
      row[j] = j;
    for (size_t i = 0; i < s->length; i++) {
      size_t diagonal = row[0]++;
      for (size_t j = 0; j < length; j++) {
        const size_t above = row[j + 1];
        const bool differs = tolower((unsigned char)s->unknown[i]) !=
                             tolower((unsigned char)part[j]);
        row[j + 1] = MIN(MIN(above, row[j]) + 1, diagonal + differs);
        diagonal = above;
      }
    }
    char *const copy = pool_text_part(part, length);
    if (s->length >= LONG_ENOUGH &&
        strcasestr(copy, pool_text_part(s->unknown, s->length)))
      row[length] = MIN(row[length], 1);
    if (row[length] < s->distance) {
      s->distance = row[length];
      s->word = copy;
    }
  }
}
