/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * image_forks.c -- a process leaves an image: the child of a fork that of its
 * parent, or a program its own for another one.
 *
 * Until it does, the child has the pages of its parent's file, as no fork
 * copies them: it neither reads nor writes them.  They are not taken from it
 * (MADV_DONTFORK), since a signal handler that interrupted a count may fork,
 * and the count goes on in the child.
 */
#include "image/image.h"

#include "image/image_parts.h"
#include "image/signals.h"

/* Returns false, with the rest still in the file, if the kernel refuses.  Tries
 * three times: it may grant later what it refuses now. */
static bool
leave(void)
{
  enum { TRIES = 3 };
  bool left = false;
  for (int i = 0; !left && i < TRIES; i++)
    left = parts_leave(false);
  if (!left)
    return false;
  image_file_begun();
  directory_unmap();
  if (image.notes.arena.base != NULL) /* it has only its own notes */
    *(uint64_t *)image.notes.arena.base = image.notes.used;
  return true;
}

bool
image_leave(void)
{
  struct signals_held signals;
  bool left;
  signals_hold(&signals);
  image_fork_lock();
  left = leave();
  image_fork_unlock();
  signals_let_go(&signals);
  return left;
}

/* ---- forks ---- */

/* Locks what this thread has not locked: a handler of a signal may have
 * interrupted it, and forks. */
void
image_fork_lock(void)
{
  const bool notes_held = spin_lock_once(&image.notes_lock);
  const bool held = spin_lock_once(&image.lock);
  image.notes_held = notes_held;
  image.held = held;
}

void
image_fork_unlock(void)
{
  if (!image.held)
    spin_unlock(&image.lock);
  if (!image.notes_held)
    spin_unlock(&image.notes_lock);
}

bool
image_forked(void)
{
  image.lock.holder = image.notes_lock.holder = 0;
  return leave();
}
