/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * image_notes.c -- all but counters, in an array that grows like the others.
 */
#include <errno.h>

#include "image/arena.h"
#include "image/image.h"
#include "image/image_pieces.h"
#include "image/note_list.h"
#include "image/signals.h"
#include "image/spin_lock.h"

enum { FIRST_NOTES = 1 << 14 };

static struct {
  struct spin_lock lock;
  bool held; /* by the thread that forks, before */
  struct note_list list;
} notes = {.list = {.arena = {.most = 1 << 30}}};

static void
empty_list(void)
{
  notes.list.used = sizeof notes.list.used;
  *(uint64_t *)notes.list.arena.base = notes.list.used;
}

/* Gives back 0 or an errno value. */
static int
make_list(void)
{
  if (notes.list.arena.base != NULL)
    return 0;
  if (arena_grow(&notes.list.arena, FIRST_NOTES) != 0)
    return errno;
  empty_list();
  return 0;
}

int
image_notes_begin(void)
{
  int error;
  spin_lock(&notes.lock); /* a note that came now would be in neither place */
  error = make_list();
  if (error == 0 && !image_map(&notes.list.arena, notes.list.used,
                               IMAGE_NOTES, image_owner()))
    error = errno;
  spin_unlock(&notes.lock);
  return error;
}

void
image_notes_end(void)
{
  image_release(notes.list.arena.base);
}

void
image_note(enum image_note_kind kind, uint64_t key, uint64_t value,
           uint64_t more, const char *text)
{
  const int saved = errno;
  struct signals_held signals;
  if (spin_holds(&notes.lock))
    return;
  signals_hold(&signals);
  spin_lock(&notes.lock);
  if (make_list() == 0)
    note_add(&notes.list, kind, key, value, more, text);
  spin_unlock(&notes.lock);
  signals_let_go(&signals);
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
  const bool held = spin_lock_once(&notes.lock);
  notes.held = held;
}

void
image_notes_unlock(void)
{
  if (!notes.held)
    spin_unlock(&notes.lock);
}

/* Takes away what the parent has written since the fork. */
void
image_notes_forked(void)
{
  uint64_t *const used = notes.list.arena.base;
  notes.lock.holder = 0;
  if (used != NULL)
    *used = notes.list.used;
}
