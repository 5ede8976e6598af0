/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * note_list.c -- see note_list.h.
 */
#include "image/note_list.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "image/image.h"

/* Returns room for so many bytes at the end, or NULL. */
static void *
room_at_end(struct note_list *list, size_t bytes)
{
  if (list->used == 0)
    list->used = sizeof list->used;
  bytes += list->used;
  if (arena_grow(&list->arena, bytes) != 0) {
    list->failed = true;
    return NULL;
  }
  return (char *)list->arena.base + list->used;
}

/* Counts BYTES more at the end of the list.  Publishes them with a release
 * store, so that readers see complete notes. */
static void
add_bytes(struct note_list *list, size_t bytes)
{
  list->used += bytes;
  __atomic_store_n((uint64_t *)list->arena.base, list->used,
                   __ATOMIC_RELEASE);
}

void
note_append(struct note_list *list, const void *notes, size_t bytes)
{
  void *const to = room_at_end(list, bytes);
  if (to == NULL)
    return;
  memcpy(to, notes, bytes);
  add_bytes(list, bytes);
}

void
note_add(struct note_list *list, enum image_note_kind kind, uint64_t key,
         uint64_t value, uint64_t more, const char *text)
{
  const size_t length = text == NULL ? 0 : strlen(text);
  const size_t bytes =
      sizeof(struct image_note) + ((length + 7) & ~(size_t)7);
  struct image_note *note;
  if (list == NULL) {
    image_note(kind, key, value, more, text);
    return;
  }
  if ((note = room_at_end(list, bytes)) == NULL)
    return;
  *note = (struct image_note){.kind = kind,
                              .text_bytes = (uint32_t)length,
                              .key = key,
                              .value = value,
                              .more = more};
  if (length != 0)
    memcpy(note + 1, text, length);
  add_bytes(list, bytes);
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
