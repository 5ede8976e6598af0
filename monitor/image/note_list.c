/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * note_list.c -- see note_list.h.
 */
#include "image/note_list.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "image/image.h"

static size_t
text_bytes(const char *text)
{
  return text == NULL ? 0 : strlen(text);
}

size_t
note_bytes(const char *text)
{
  return sizeof(struct image_note) + ((text_bytes(text) + 7) & ~(size_t)7);
}

void
note_write(struct image_note *to, enum image_note_kind kind, uint64_t key,
           uint64_t value, uint64_t more, const char *text)
{
  const size_t length = text_bytes(text);
  *to = (struct image_note){.kind = kind,
                            .text_bytes = (uint32_t)length,
                            .key = key,
                            .value = value,
                            .more = more};
  if (length != 0)
    memcpy(to + 1, text, length);
}

/* Room for so many bytes at the end, which the list has then; NULL: there is
 * none. */
static void *
append(struct note_list *list, size_t bytes)
{
  char *end;
  if (list->used == 0)
    list->used = sizeof list->used;
  if (arena_grow(&list->arena, list->used + bytes) != 0) {
    list->failed = true;
    return NULL;
  }
  end = (char *)list->arena.base + list->used;
  list->used += bytes;
  *(uint64_t *)list->arena.base = list->used;
  return end;
}

void
note_append(struct note_list *list, const void *notes, size_t bytes)
{
  void *const to = append(list, bytes);
  if (to != NULL)
    memcpy(to, notes, bytes);
}

void
note_add(struct note_list *list, enum image_note_kind kind, uint64_t key,
         uint64_t value, uint64_t more, const char *text)
{
  struct image_note *to;
  if (list == NULL)
    image_note(kind, key, value, more, text);
  else if ((to = append(list, note_bytes(text))) != NULL)
    note_write(to, kind, key, value, more, text);
}

void
note_comment(struct note_list *list, const char *key, const char *format, ...)
{
  char text[600];
  va_list arguments;
  const int n = snprintf(text, sizeof text, "%s=", key);
  va_start(arguments, format);
  vsnprintf(text + n, sizeof text - (size_t)n, format, arguments);
  va_end(arguments);
  note_add(list, NOTE_COMMENT, 0, 0, 0, text);
}
