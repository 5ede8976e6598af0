/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "base/suggestion.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

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
  char word[SUGGESTION_LENGTH] = "", unknown[SUGGESTION_LENGTH] = "";
  size_t row[SUGGESTION_LENGTH]; /* distances of the beginnings of WORD */
  if (length == 0 || length >= SUGGESTION_LENGTH ||
      s->length >= SUGGESTION_LENGTH)
    return;
  memcpy(word, part, length);
  memcpy(unknown, s->unknown, s->length);
  for (size_t j = 0; j <= length; j++)
    row[j] = j;
  for (size_t i = 1; i <= s->length; i++) {
    size_t diagonal = row[0];
    row[0] = i;
    for (size_t j = 1; j <= length; j++) {
      const size_t above = row[j];
      row[j] = diagonal + (tolower((unsigned char)unknown[i - 1]) !=
                           tolower((unsigned char)word[j - 1]));
      row[j] = above < row[j] ? above + 1 : row[j];
      row[j] = row[j - 1] < row[j] ? row[j - 1] + 1 : row[j];
      diagonal = above;
    }
  }
  if (s->length >= LONG_ENOUGH && strcasestr(word, unknown) != NULL)
    row[length] = row[length] < 1 ? 0 : 1;
  if (row[length] >= s->distance)
    return;
  s->distance = row[length];
  memcpy(s->word, word, length + 1);
}

void
suggestion_offer(struct suggestion *s, const char *name)
{
  static const char between[] = " :()<>,;&*|/";
  const char *part = name + strspn(name, between);
  while (*part != '\0') {
    const size_t length = strcspn(part, between);
    offer_part(s, part, length);
    part += length;
    part += strspn(part, between);
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
