/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Finds the id of a text, or adds it, as valid UTF-8.  The key of a text
 * among the ids is its hash, or the first number after that which no other
 * text has. */

#include "base/names.h"

#include "base/quote.h"

#include <ctype.h>
#include <stdio.h>
#include <sys/param.h>

/* Returns TEXT if it is UTF-8, else a copy with other bytes written out. */
static const char *
clean(const char *text)
{
  const char *end = text;
  size_t length = 1;
  while (*end != '\0' && (length = utf8_length(end)) > 0)
    end += length;
  if (*end == '\0')
    return text;
  char *copy = pool_alloc(strlen("\\xNN") * strlen(text) + 1), *to = copy;
  for (; *text != '\0'; text += length == 0 ? 1 : length) {
    length = utf8_length(text);
    if (length == 0)
      to += sprintf(to, "\\x%02x", (unsigned)(unsigned char)*text);
    else
      to = mempcpy(to, text, length);
  }
  *to++ = '\0';
  return pool_resize(copy, (size_t)(to - copy));
}

char *
names_bytes(const char *text)
{
  char *copy = pool_text(text), *to = copy;
  while (*text != '\0') {
    unsigned byte = 0;
    if (text[0] == '\\' && text[1] == 'x' && isxdigit((uint8_t)text[2]) &&
        isxdigit((uint8_t)text[3]))
      sscanf(text, "\\x%2x", &byte);
    if (byte >= 0x80) {
      *to++ = (char)byte;
      text += 4;
    } else {
      *to++ = *text++;
    }
  }
  *to = '\0';
  return copy;
}

void
names_init(struct names *names)
{
  memset(names, 0, sizeof *names);
  names_intern(names, "");
}

void
names_extend(struct names *names, const struct names *base)
{
  *names = (struct names){.base = base, .count = base->count};
  ARRAY_ROOM(names->texts, names->capacity, base->count);
  memcpy(names->texts, base->texts, base->count * sizeof *base->texts);
}

/* Returns the id of TEXT, or NAMES_NONE; then *KEY is free for it. */
static uint32_t
find(const struct names *names, const char *text, uint64_t *key)
{
  uint32_t id =
      names->base == NULL ? NAMES_NONE : find(names->base, text, key);
  if (id != NAMES_NONE)
    return id;
  *key = index_map_hash(text, strlen(text));
  while ((id = index_map_find(&names->ids, *key)) != INDEX_NONE &&
         strcmp(names->texts[id], text) != 0)
    ++*key;
  return id;
}

uint32_t
names_find(const struct names *names, const char *text)
{
  uint64_t key;
  return find(names, clean(text), &key);
}

uint32_t
names_intern(struct names *names, const char *text)
{
  const char *own = clean(text);
  uint64_t key;
  uint32_t id = find(names, own, &key);
  if (id != NAMES_NONE)
    return id;
  id = (uint32_t)names->count;
  if (id >= INT32_MAX)
    fail_memory();
  ARRAY_PUSH(names->texts, names->count, names->capacity,
             own == text ? pool_text(text) : own);
  index_map_add(&names->ids, key, id);
  return id;
}

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

void
suggestion_by_habit(struct suggestion *s, const struct habit *habits)
{
  for (; habits->word != NULL; habits++)
    if (strlen(habits->word) == s->length &&
        memcmp(habits->word, s->unknown, s->length) == 0)
      s->word = habits->here;
}
