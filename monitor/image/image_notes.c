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

static struct {
  struct spin_lock lock;
  bool locked_before; /* the fork */
  bool kept;          /* without an image, too */
  struct note_list list;
} notes = {.list = {.in_place = true}};

/* Has no notes. */
static void
begin_list(void)
{
  notes.list.used = sizeof notes.list.used;
  *(uint64_t *)notes.list.arena.base = notes.list.used;
}

static int
make_list(void)
{
  if (notes.list.arena.base != NULL)
    return 0;
  if (arena_place(&notes.list.arena, FIRST_NOTES, MOST_NOTES) != 0)
    return errno;
  begin_list();
  return 0;
}

int
image_notes_begin(void)
{
  const int error = make_list();
  if (error != 0)
    return error;
  return image_map(&notes.list.arena, notes.list.used, IMAGE_NOTES,
                   image_owner())
             ? 0
             : errno;
}

void
image_notes_end(void)
{
  image_release(notes.list.arena.base);
}

int
image_keep_notes(void)
{
  notes.kept = true;
  return make_list();
}

bool
image_takes_notes(void)
{
  return notes.list.arena.base != NULL && (notes.kept || image_is_open());
}

void
image_note(enum image_note_kind kind, uint64_t key, uint64_t value,
           uint64_t more, const char *text)
{
  const int saved = errno;
  if (!image_takes_notes() || spin_holds(&notes.lock))
    return;
  spin_lock(&notes.lock);
  note_add(&notes.list, kind, key, value, more, text);
  spin_unlock(&notes.lock);
  errno = saved;
}

void
image_copy_notes(struct note_list *to)
{
  const uint64_t *const from = notes.list.arena.base;
  const uint64_t end =
      from == NULL ? 0 : __atomic_load_n(from, __ATOMIC_ACQUIRE);
  if (end > sizeof *from)
    note_append(to, from + 1, end - sizeof *from);
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
    arena_release(&notes.list.arena);
  else if (*(uint64_t *)notes.list.arena.base == 0)
    begin_list();
}
