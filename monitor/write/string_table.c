/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * string_table.c -- open addressing, at most half full.
 */
#include "tree/sizes.h"
#include "write/string_table.h"

#include <stdlib.h>
#include <string.h>

static size_t
hash(const char *s)
{
  uint64_t h = 14695981039346656037ull;
  while (*s != '\0')
    h = (h ^ (unsigned char)*s++) * 1099511628211ull;
  return (size_t)(h ^ (h >> 32));
}

static int
grow(struct string_table *t)
{
  size_t room = t->room == 0 ? SIZE_FIRST_ROOM : t->room * 2;
  char **strings = realloc(t->strings, room * sizeof *strings);
  uint32_t *slots;
  if (strings == NULL)
    return -1;
  t->strings = strings;
  slots = calloc(room * 2, sizeof *slots);
  if (slots == NULL)
    return -1;
  free(t->slots);
  t->slots = slots;
  t->mask = room * 2 - 1;
  t->room = room;
  for (size_t i = 0; i < t->count; i++) {
    size_t h = hash(t->strings[i]);
    while (slots[h & t->mask] != 0)
      h++;
    slots[h & t->mask] = (uint32_t)i + 1;
  }
  return 0;
}

int64_t
string_table_add(struct string_table *t, const char *s)
{
  size_t h = hash(s);
  if (t->count == t->room && grow(t) != 0)
    return -1;
  for (; t->slots[h & t->mask] != 0; h++)
    if (strcmp(t->strings[t->slots[h & t->mask] - 1], s) == 0)
      return (int64_t)t->slots[h & t->mask] - 1;
  t->strings[t->count] = strdup(s);
  if (t->strings[t->count] == NULL)
    return -1;
  t->slots[h & t->mask] = (uint32_t)++t->count;
  return (int64_t)t->count - 1;
}

void
string_table_release(struct string_table *t)
{
  for (size_t i = 0; i < t->count; i++)
    free(t->strings[i]);
  free(t->strings);
  free(t->slots);
  memset(t, 0, sizeof *t);
}
