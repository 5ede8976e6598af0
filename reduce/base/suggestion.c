/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Distances by dynamic programming, of which three rows are kept. */

#include "base/suggestion.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

static size_t
smaller(size_t a, size_t b)
{
  return a < b ? a : b;
}

static bool
same_letter(char a, char b)
{
  return tolower((unsigned char)a) == tolower((unsigned char)b);
}

/* How far the first M bytes of A and the first N of B, both less than
 * SUGGESTION_LENGTH, are apart. */
static size_t
distance(const char *a, size_t m, const char *b, size_t n)
{
  size_t rows[3][SUGGESTION_LENGTH];
  size_t *before = rows[0];
  size_t *above = rows[1];
  size_t *row = rows[2];
  for (size_t j = 0; j <= n; j++)
    row[j] = j;
  for (size_t i = 1; i <= m; i++) {
    size_t *free_row = before;
    before = above;
    above = row;
    row = free_row;
    row[0] = i;
    for (size_t j = 1; j <= n; j++) {
      size_t replaced = above[j - 1] + !same_letter(a[i - 1], b[j - 1]);
      row[j] = smaller(replaced, 1 + smaller(above[j], row[j - 1]));
      if (i > 1 && j > 1 && same_letter(a[i - 1], b[j - 2]) &&
          same_letter(a[i - 2], b[j - 1]))
        row[j] = smaller(row[j], before[j - 2] + 1);
    }
  }
  return row[n];
}

/* Whether the first N bytes of B have the first M of A among them. */
static bool
contains(const char *b, size_t n, const char *a, size_t m)
{
  for (size_t i = 0; i + m <= n; i++)
    if (strncasecmp(b + i, a, m) == 0)
      return true;
  return false;
}

struct suggestion
suggestion_for(const char *unknown, size_t length)
{
  return (struct suggestion){
      .unknown = unknown, .length = length, .distance = (length + 1) / 3 + 1};
}

void
suggestion_offer(struct suggestion *s, const char *word, size_t length)
{
  enum { LONG_ENOUGH = 3 };
  size_t far = s->distance;
  if (length == 0 || length >= SUGGESTION_LENGTH)
    return;
  if (length < s->length + far && s->length < length + far)
    far = distance(s->unknown, s->length, word, length);
  if (far > 1 && s->length >= LONG_ENOUGH &&
      contains(word, length, s->unknown, s->length))
    far = 1;
  if (far >= s->distance)
    return;
  s->distance = far;
  memcpy(s->word, word, length);
  s->word[length] = '\0';
}

void
suggestion_offer_name(struct suggestion *suggestion, const char *name)
{
  static const char between[] = " :()<>,;&*|/";
  for (const char *part = name + strspn(name, between); *part != '\0';
       part += strspn(part, between)) {
    size_t length = strcspn(part, between);
    suggestion_offer(suggestion, part, length);
    part += length;
  }
  suggestion_offer(suggestion, name, strlen(name));
}

struct suggestion_text
suggestion_text(const struct suggestion *suggestion, const char *prefix)
{
  struct suggestion_text text = {""};
  if (suggestion->word[0] != '\0')
    snprintf(text.text, sizeof text.text, "; did you mean %s%s?", prefix,
             suggestion->word);
  return text;
}
