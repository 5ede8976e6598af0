/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * intern_table.c -- see intern_table.h; the hash index is that of
 * record_index.h.
 */
#include "tree/intern_table.h"

#include <string.h>

static const char *
text_of(const struct intern_table *t, uint32_t number)
{
  return (const char *)t->texts.base + intern_table_key(t, number);
}

static uint32_t
hash_key(uint64_t key)
{
  return (uint32_t)((key * UINT64_C(0x9E3779B97F4A7C15)) >> 32);
}

static uint32_t
hash_text(const char *text)
{
  uint64_t h = 0;
  for (; *text != '\0'; text++)
    h = (h ^ (unsigned char)*text) * UINT64_C(0x100000001B3);
  return hash_key(h);
}

static uint32_t
hash_of_key(const void *table, uint32_t number)
{
  return hash_key(intern_table_key(table, number));
}

static uint32_t
hash_of_text(const void *table, uint32_t number)
{
  return hash_text(text_of(table, number));
}

/* The number of the key, or of the text unless that is NULL; 0: it has
 * none. */
static uint32_t
find(const struct intern_table *t, uint32_t hash, uint64_t key,
     const char *text)
{
  const struct record_index *index = &t->index;
  uint32_t slot;
  if (index->slots == NULL)
    return 0;
  for (uint32_t i = hash & index->mask; (slot = index->slots[i]) != 0;
       i = (i + 1) & index->mask) {
    const uint32_t number = record_index_number(index, slot);
    if (record_index_may_be(index, slot, hash) &&
        (text == NULL ? intern_table_key(t, number) == key
                      : strcmp(text_of(t, number), text) == 0))
      return number;
  }
  return 0;
}

static uint32_t
add(struct intern_table *t, uint32_t hash, uint64_t key,
    record_hash_fn *hash_of)
{
  const uint32_t number = t->count + 1;
  if (number > INTERN_MOST ||
      (t->index.slots == NULL &&
       record_index_init(&t->index, INTERN_MOST) != 0) ||
      arena_grow(&t->keys, (number + (size_t)1) * sizeof key) != 0 ||
      !record_index_grow(&t->index, hash_of, t, 1, number))
    return 0;
  ((uint64_t *)t->keys.base)[number] = key;
  record_index_add(&t->index, hash, number);
  return t->count = number;
}

uint32_t
intern_key(struct intern_table *t, uint64_t key)
{
  const uint32_t hash = hash_key(key);
  const uint32_t number = find(t, hash, key, NULL);
  return number != 0 ? number : add(t, hash, key, hash_of_key);
}

uint32_t
intern_text(struct intern_table *t, const char *text)
{
  const uint32_t hash = hash_text(text);
  const size_t n = strlen(text) + 1;
  uint32_t number = find(t, hash, 0, text);
  if (number != 0)
    return number;
  if (arena_grow(&t->texts, t->text_bytes + n) != 0)
    return 0;
  memcpy((char *)t->texts.base + t->text_bytes, text, n);
  number = add(t, hash, t->text_bytes, hash_of_text);
  if (number != 0)
    t->text_bytes += n;
  return number;
}

void
intern_table_release(struct intern_table *t)
{
  arena_release(&t->keys);
  arena_release(&t->texts);
  record_index_release(&t->index);
  *t = (struct intern_table){0};
}
