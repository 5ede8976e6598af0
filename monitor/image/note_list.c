/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * note_list.c -- see note_list.h.
 */
#include "image/note_list.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "image/image.h"

/* A note is complete before it counts. */
void
note_add(struct note_list *list, enum image_note_kind kind, uint64_t key,
         uint64_t value, uint64_t more, const char *text)
{
  const size_t length = text == NULL ? 0 : strlen(text);
  struct image_note *note;
  uint64_t end;
  if (list == NULL) {
    image_note(kind, key, value, more, text);
    return;
  }
  if (list->used == 0)
    list->used = sizeof list->used;
  end = list->used + sizeof *note + ((length + 7) & ~(size_t)7);
  if ((list->in_place ? arena_grow_in_place(&list->arena, end, MOST_NOTES)
                      : arena_grow(&list->arena, end)) != 0) {
    list->failed = true;
    return;
  }
  note = (struct image_note *)((char *)list->arena.base + list->used);
  *note = (struct image_note){.kind = kind,
                              .text_bytes = (uint32_t)length,
                              .key = key,
                              .value = value,
                              .more = more};
  if (length != 0)
    memcpy(note + 1, text, length);
  list->used = end;
  __atomic_store_n((uint64_t *)list->arena.base, end, __ATOMIC_RELEASE);
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

bool
note_is_lost(const struct note_list *list)
{
  return list == NULL && !image_is_open();
}
