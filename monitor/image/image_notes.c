/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * image_notes.c -- all but counters, in an array that grows like the others.
 */
#include <errno.h>

#include "image/arena.h"
#include "image/image.h"
#include "image/image_pieces.h"
#include "image/note_list.h"
#include "image/spin_lock.h"

enum { FIRST_NOTES = 1 << 16, MOST_NOTES = 1 << 30 };

static struct spin_lock lock;
static struct arena notes;

int
image_notes_begin(void)
{
  if (notes.base != NULL)
    return 0;
  if (arena_place(&notes, FIRST_NOTES, MOST_NOTES) != 0)
    return errno;
  *(uint64_t *)notes.base = sizeof(uint64_t);
  return image_map(&notes, sizeof(uint64_t), IMAGE_NOTES, image_owner())
             ? 0
             : errno;
}

/* Room for a note at `used'; NULL: there is none. */
static struct image_note *
room_for_note(uint64_t used, size_t bytes)
{
  size_t room = notes.reserved_bytes;
  if (used + bytes > MOST_NOTES)
    return NULL;
  while (room < used + bytes)
    room *= 2;
  return arena_reach(&notes, room) == 0
             ? (struct image_note *)((char *)notes.base + used)
             : NULL;
}

void
image_note(enum image_note_kind kind, uint64_t key, uint64_t value,
           uint64_t more, const char *text)
{
  const size_t bytes = note_bytes(text);
  const int saved = errno;
  struct image_note *note;
  uint64_t *used;
  if (!image_is_open() || spin_holds(&lock) ||
      notes.base == NULL)
    return;
  spin_lock(&lock);
  used = notes.base;
  note = room_for_note(*used, bytes);
  if (note != NULL) {
    note_write(note, kind, key, value, more, text);
    __atomic_store_n(used, *used + bytes, __ATOMIC_RELEASE);
  }
  spin_unlock(&lock);
  errno = saved;
}

void
image_forget_notes(void)
{
  if (notes.base != NULL)
    *(uint64_t *)notes.base = sizeof(uint64_t);
}

/* ---- forks ---- */

static bool locked_before;

void
image_notes_lock(void)
{
  locked_before = spin_holds(&lock);
  if (!locked_before)
    spin_lock(&lock);
}

void
image_notes_unlock(void)
{
  if (!locked_before)
    spin_unlock(&lock);
}

void
image_notes_forked(void)
{
  arena_release(&notes);
  lock.holder = 0;
}
