/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * image_notes.c -- all but counters, in an array that grows like the others.
 */
#include <errno.h>

#include "image/arena.h"
#include "image/image.h"
#include "image/image_parts.h"
#include "image/note_list.h"
#include "image/signals.h"
#include "image/spin_lock.h"

enum { FIRST_NOTES = IMAGE_PAGE };

/* Under image.notes_lock. */
static struct note_list list = {.arena = {.most = 1 << 28}};

/* Makes the list if there is none, empty.  Returns 0 or an errno value. */
static int
make_list(void)
{
  if (list.arena.base != NULL)
    return 0;
  if (arena_grow(&list.arena, FIRST_NOTES) != 0)
    return errno;
  list.used = sizeof list.used;
  *(uint64_t *)list.arena.base = list.used;
  return 0;
}

int
image_notes_begin(void)
{
  int error;
  /* a note that came now would be in neither place */
  spin_lock(&image.notes_lock);
  error = make_list();
  if (error == 0 &&
      !image_map(&list.arena, list.used, IMAGE_NOTES, image_owner(), 1))
    error = errno;
  spin_unlock(&image.notes_lock);
  return error;
}

void
image_notes_end(void)
{
  image_release(list.arena.base);
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
  if (make_list() == 0)
    note_add(&list, kind, key, value, more, text);
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
  if (make_list() == 0)
    arena_grow(&list.arena, list.used + bytes);
  spin_unlock(&image.notes_lock);
  signals_let_go(&signals);
}

void
image_copy_notes(struct note_list *to)
{
  const uint64_t *const from = list.arena.base;
  const uint64_t end =
      from == NULL ? 0 : __atomic_load_n(from, __ATOMIC_ACQUIRE);
  if (end > sizeof *from)
    note_append(to, from + 1, end - sizeof *from);
}

/* ---- forks ---- */

void
image_notes_forked(void)
{
  uint64_t *const used = list.arena.base;
  if (used != NULL)
    *used = list.used;
}
