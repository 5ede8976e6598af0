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

enum { FIRST_NOTES = 1 << 16 };

static struct spin_lock lock;
static struct note_list notes = {.in_place = true};

void
image_forget_notes(void)
{
  notes.used = sizeof notes.used;
  if (notes.arena.base != NULL)
    *(uint64_t *)notes.arena.base = notes.used;
}

int
image_notes_begin(void)
{
  if (notes.arena.base != NULL)
    return 0;
  if (arena_place(&notes.arena, FIRST_NOTES, MOST_NOTES) != 0)
    return errno;
  image_forget_notes();
  return image_map(&notes.arena, notes.used, IMAGE_NOTES, image_owner())
             ? 0
             : errno;
}

void
image_note(enum image_note_kind kind, uint64_t key, uint64_t value,
           uint64_t more, const char *text)
{
  const int saved = errno;
  if (!image_is_open() || spin_holds(&lock) || notes.arena.base == NULL)
    return;
  spin_lock(&lock);
  note_add(&notes, kind, key, value, more, text);
  spin_unlock(&lock);
  errno = saved;
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
  arena_release(&notes.arena);
  lock.holder = 0;
}
