/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Interning by an open-addressed table of ids, at most half full, hashed by
 * FNV-1a over the text.  Names are short, so hashing again when the table
 * grows is cheaper than keeping hashes.
 */

#include "base/names.h"

#include "base/array.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

size_t
utf8_length(const char *text)
{
  const unsigned char *c = (const unsigned char *)text;
  if (c[0] < 0x80)
    return 1;
  size_t length = c[0] >= 0xf0 ? 4 : c[0] >= 0xe0 ? 3 : 2;
  if (c[0] < 0xc2 || c[0] > 0xf4)
    return 0;
  for (size_t i = 1; i < length; i++)
    if ((c[i] & 0xc0) != 0x80)
      return 0;
  if ((c[0] == 0xe0 && c[1] < 0xa0) || (c[0] == 0xf0 && c[1] < 0x90))
    return 0; /* longer than needed */
  if ((c[0] == 0xed && c[1] > 0x9f) || (c[0] == 0xf4 && c[1] > 0x8f))
    return 0; /* a surrogate, or past U+10FFFF */
  return length;
}

static uint64_t
hash_text(const char *text)
{
  uint64_t hash = UINT64_C(0xcbf29ce484222325);
  for (const char *c = text; *c != '\0'; c++)
    hash = (hash ^ (unsigned char)*c) * UINT64_C(0x100000001b3);
  return hash ^ hash >> 29;
}

static size_t
slot_of(const struct names *names, const char *text)
{
  size_t slot = (size_t)hash_text(text) & (names->slot_count - 1);
  while (names->slots[slot] != NAMES_NONE &&
         strcmp(names->texts[names->slots[slot]], text) != 0)
    slot = (slot + 1) & (names->slot_count - 1);
  return slot;
}

static bool
grow_slots(struct names *names)
{
  size_t slot_count = names->slot_count == 0 ? 64 : names->slot_count * 2;
  if (slot_count > SIZE_MAX / sizeof *names->slots)
    return false;
  uint32_t *slots = malloc(slot_count * sizeof *slots);
  if (slots == NULL)
    return false;
  for (size_t i = 0; i < slot_count; i++)
    slots[i] = NAMES_NONE;
  free(names->slots);
  names->slots = slots;
  names->slot_count = slot_count;
  for (size_t id = 0; id < names->count; id++)
    slots[slot_of(names, names->texts[id])] = (uint32_t)id;
  return true;
}

/* A copy of TEXT in which each byte that is no UTF-8 is written out. */
static char *
clean_copy(const char *text)
{
  size_t bytes = strlen(text);
  if (bytes > (SIZE_MAX - 1) / 4)
    return NULL;
  size_t bad = 0;
  size_t length;
  for (const char *c = text; *c != '\0'; c += length == 0 ? 1 : length) {
    length = utf8_length(c);
    bad += length == 0;
  }
  char *copy = malloc(bytes + 3 * bad + 1);
  if (copy == NULL)
    return NULL;
  char *to = copy;
  for (const char *c = text; *c != '\0'; c += length == 0 ? 1 : length) {
    length = utf8_length(c);
    if (length == 0) {
      to += snprintf(to, 5, "\\x%02x", (unsigned)(unsigned char)*c);
    } else {
      memcpy(to, c, length);
      to += length;
    }
  }
  *to = '\0';
  return copy;
}

bool
names_init(struct names *names)
{
  memset(names, 0, sizeof *names);
  return names_intern(names, "") == 0;
}

void
names_release(struct names *names)
{
  for (size_t i = 0; i < names->count; i++)
    free(names->texts[i]);
  free(names->texts);
  free(names->slots);
  memset(names, 0, sizeof *names);
}

uint32_t
names_intern(struct names *names, const char *text)
{
  if (names->count * 2 >= names->slot_count && !grow_slots(names))
    return NAMES_NONE;
  char *copy = clean_copy(text);
  if (copy == NULL)
    return NAMES_NONE;
  size_t slot = slot_of(names, copy);
  if (names->slots[slot] != NAMES_NONE) {
    free(copy);
    return names->slots[slot];
  }
  char **texts = array_reserve(names->texts, &names->capacity,
                               names->count + 1, sizeof *texts);
  if (texts == NULL || names->count >= INT32_MAX) {
    if (texts != NULL)
      names->texts = texts;
    free(copy);
    return NAMES_NONE;
  }
  names->texts = texts;
  names->texts[names->count] = copy;
  names->slots[slot] = (uint32_t)names->count;
  return (uint32_t)names->count++;
}
