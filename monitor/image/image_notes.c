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

static struct {
  struct spin_lock lock;
  bool locked_before; /* the fork */
  bool kept;          /* without an image, too */
  struct arena arena; /* begins with how many bytes of it are used */
} notes;

static uint64_t *
used(void)
{
  return notes.arena.base;
}

static int
make_arena(void)
{
  if (notes.arena.base != NULL)
    return 0;
  if (arena_place(&notes.arena, FIRST_NOTES, MOST_NOTES) != 0)
    return errno;
  *used() = sizeof *used();
  return 0;
}

int
image_notes_begin(void)
{
  const int error = make_arena();
  if (error != 0)
    return error;
  return image_map(&notes.arena, *used(), IMAGE_NOTES, image_owner()) ? 0
                                                                       : errno;
}

void
image_notes_end(void)
{
  image_release(notes.arena.base);
}

int
image_keep_notes(void)
{
  notes.kept = true;
  return make_arena();
}

bool
image_takes_notes(void)
{
  return notes.arena.base != NULL && (notes.kept || image_is_open());
}

/* Room for a note behind the others; NULL: there is none. */
static struct image_note *
room_for_note(size_t bytes)
{
  size_t room = notes.arena.reserved_bytes;
  if (*used() + bytes > MOST_NOTES)
    return NULL;
  while (room < *used() + bytes)
    room *= 2;
  return arena_reach(&notes.arena, room) == 0
             ? (struct image_note *)((char *)notes.arena.base + *used())
             : NULL;
}

void
image_note(enum image_note_kind kind, uint64_t key, uint64_t value,
           uint64_t more, const char *text)
{
  const size_t bytes = note_bytes(text);
  const int saved = errno;
  struct image_note *note;
  if (!image_takes_notes() || spin_holds(&notes.lock))
    return;
  spin_lock(&notes.lock);
  note = room_for_note(bytes);
  if (note != NULL) {
    note_write(note, kind, key, value, more, text);
    __atomic_store_n(used(), *used() + bytes, __ATOMIC_RELEASE);
  }
  spin_unlock(&notes.lock);
  errno = saved;
}

void
image_copy_notes(struct note_list *to)
{
  const uint64_t end = notes.arena.base == NULL
                           ? 0
                           : __atomic_load_n(used(), __ATOMIC_ACQUIRE);
  if (end > sizeof *used())
    note_append(to, used() + 1, end - sizeof *used());
}

/* ---- forks ---- */

void
image_notes_lock(void)
{
  notes.locked_before = spin_holds(&notes.lock);
  if (!notes.locked_before)
    spin_lock(&notes.lock);
}

void
image_notes_unlock(void)
{
  if (!notes.locked_before)
    spin_unlock(&notes.lock);
}

/* All is zero where there was no memory for a copy. */
void
image_notes_forked(void)
{
  notes.lock.holder = 0;
  if (!notes.kept)
    arena_release(&notes.arena);
  else if (*used() == 0)
    *used() = sizeof *used();
}
