/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * image_notes.c -- all but counters: lists of notes in memory, and that of
 * the process, in an array that grows like the others.
 */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "image/arena.h"
#include "image/image.h"
#include "image/image_parts.h"
#include "image/signals.h"
#include "image/spin_lock.h"

/* ---- a list ---- */

/* Returns room for so many bytes at the end; NULL, and sets list->failed,
 * without memory. */
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

/* Appends `bytes' of whole notes; sets list->failed without memory. */
static void
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

/* ---- the list of the process, under image.notes_lock ---- */

int
image_notes_begin(void)
{
  int error = 0;
  /* a note that came now would be in neither place */
  spin_lock(&image.notes_lock);
  note_append(&image.notes, "", 0); /* so that it is there */
  if (image.notes.arena.base == NULL)
    error = ENOMEM;
  else if (!image_map(&image.notes.arena, image.notes.used, IMAGE_NOTES,
                      image_owner(), 1))
    error = errno;
  spin_unlock(&image.notes_lock);
  return error;
}

void
image_note(enum image_note_kind kind, uint64_t key, uint64_t value,
           uint64_t more, const char *text)
{
  const int saved = errno;
  struct signals_held signals;
  if (spin_holds(&image.notes_lock))
    return;
  signals_hold(&signals);
  spin_lock(&image.notes_lock);
  note_add(&image.notes, kind, key, value, more, text);
  spin_unlock(&image.notes_lock);
  signals_let_go(&signals);
  errno = saved;
}

void
image_reserve_notes(size_t bytes)
{
  struct signals_held signals;
  signals_hold(&signals);
  spin_lock(&image.notes_lock);
  room_at_end(&image.notes, bytes);
  spin_unlock(&image.notes_lock);
  signals_let_go(&signals);
}

void
image_copy_notes(struct note_list *to)
{
  const uint64_t *const from = image.notes.arena.base;
  const uint64_t end =
      from == NULL ? 0 : __atomic_load_n(from, __ATOMIC_ACQUIRE);
  if (end > sizeof *from)
    note_append(to, from + 1, end - sizeof *from);
}
