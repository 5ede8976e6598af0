/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "base/suggestion.h"

#include "base/pool.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/param.h>

struct suggestion
suggestion_for(const char *unknown, size_t length)
{
  return (struct suggestion){
      .unknown = unknown, .length = length, .distance = (length + 1) / 3 + 1};
}

/* Offers the LENGTH bytes at PART. */
static void
offer_part(struct suggestion *s, const char *part, size_t length)
{
  enum { LONG_ENOUGH = 3 };
  size_t row[SUGGESTION_LENGTH]; /* distances of the beginnings of PART */
  if (length >= SUGGESTION_LENGTH || s->length >= SUGGESTION_LENGTH)
    return;
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
  if (s->length >= LONG_ENOUGH &&
      strcasestr(pool_text_part(part, length),
                 pool_text_part(s->unknown, s->length)))
    row[length] = MIN(row[length], 1);
  if (row[length] >= s->distance)
    return;
  s->distance = row[length];
  *stpncpy(s->word, part, length) = '\0';
}

void
suggestion_offer(struct suggestion *s, const char *name)
{
  static const char between[] = " :()<>,;&*|/";
  const char *part = name;
  while (*(part += strspn(part, between)) != '\0') {
    const size_t length = strcspn(part, between);
    offer_part(s, part, length);
    part += length;
  }
  offer_part(s, name, strlen(name));
}

struct suggestion_text
suggestion_text(const struct suggestion *s, const char *prefix)
{
  struct suggestion_text text = {""};
  if (s->word[0] != '\0')
    snprintf(text.text, sizeof text.text, "; did you mean %s%s?", prefix,
             s->word);
  return text;
}
