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

#include <string.h>
#include <sys/mman.h>

#include "image/image_parts.h"
#include "image/signals.h"

/* Returns true for what is needed though no figure is. */
static bool
is_kept(const struct part *p)
{
  return p->entry.kind == IMAGE_STRIPES || p->entry.kind == IMAGE_REGIONS ||
         p->entry.kind == IMAGE_NOTES;
}

static void *
map_anonymous(void *place, size_t bytes, int how)
{
  return mmap(place, bytes, PROT_READ | PROT_WRITE,
              MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | how, -1, 0);
}

/* Puts memory in the place of the part that has its contents.  Other threads
 * that look at its locks meanwhile see the one or the other. */
static bool
replace_by_copy(const struct part *p)
{
  void *const copy = map_anonymous(NULL, p->bytes, 0);
  if (copy == MAP_FAILED)
    return false;
  memcpy(copy, p->base, p->bytes);
  if (mremap(copy, p->bytes, p->bytes, MREMAP_MAYMOVE | MREMAP_FIXED,
             p->base) != MAP_FAILED)
    return true;
  munmap(copy, p->bytes);
  return false;
}

/* Puts memory in the place of the part, all zero but for what is kept.  Tries
 * three times: the kernel may grant later what it refuses now. */
static bool
replace(const struct part *p)
{
  enum { TRIES = 3 };
  bool replaced = false;
  for (int i = 0; !replaced && i < TRIES; i++)
    replaced = is_kept(p) ? replace_by_copy(p)
                          : map_anonymous(p->base, p->bytes, MAP_FIXED) !=
                                MAP_FAILED;
  return replaced;
}

/* Returns false, with the rest still in the file, if the kernel refuses. */
static bool
leave(void)
{
  bool left = true;
  if (arenas_are_sealed())
    return false;
  while (left && image.count > 0) {
    left = replace(&image.parts[image.count - 1]);
    image.count -= left;
  }
  image_file_begun();
  if (image.head != NULL)
    directory_unmap(image.head);
  image.head = NULL;
  if (left && image.notes.arena.base != NULL) /* it has only its own notes */
    *(uint64_t *)image.notes.arena.base = image.notes.used;
  return left;
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
image_has_parts(void)
{
  return image.count != 0;
}

bool
image_forked(void)
{
  image.lock.holder = image.notes_lock.holder = 0;
  return leave();
}
