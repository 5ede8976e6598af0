/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * image_forks.c -- the child of a fork does not write into its parent's image.
 * The copies that it gets are made before, when nobody counts.
 */
#include "image/image.h"

#include <string.h>
#include <sys/mman.h>

#include "image/image_file.h"
#include "image/image_pieces.h"

/* Of the stripes, which a child cannot do without. */
static char small_copy[2 * IMAGE_PAGE];

static void *
copy_of(const struct piece *p)
{
  void *const copy =
      p->head.kind == IMAGE_STRIPES && p->head.bytes <= sizeof small_copy
          ? small_copy
          : mmap(NULL, p->head.bytes, PROT_READ | PROT_WRITE,
                 MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (copy != MAP_FAILED)
    memcpy(copy, p->base, p->head.bytes);
  return copy;
}

/* Put memory that is all zero in the place of a piece.  That takes nothing
 * that the process has not got, so it succeeds in the end; until it does the
 * memory is the parent's. */
static void
replace(const struct piece *p)
{
  enum { TRIES = 1000 };
  for (int i = 0; i < TRIES; i++)
    if (mmap(p->base, p->head.bytes, PROT_READ | PROT_WRITE,
             MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1,
             0) != MAP_FAILED)
      return;
}

/* Even if it forgets all counters. */
static bool
child_needs(const struct piece *p)
{
  return p->head.kind == IMAGE_STRIPES || p->head.kind == IMAGE_REGIONS ||
         p->head.kind == IMAGE_NOTES;
}

/* A handler of a signal that forks may have interrupted who has them. */
void
image_before_fork(bool copy)
{
  image_notes_lock();
  image.locked_before = spin_holds(&image.lock);
  if (!image.locked_before)
    spin_lock(&image.lock);
  image.copies = copy;
  for (uint32_t i = 0; i < image.count; i++)
    image.pieces[i].copy =
        copy || child_needs(&image.pieces[i]) ? copy_of(&image.pieces[i])
                                              : MAP_FAILED;
}

void
image_after_fork_in_parent(void)
{
  for (uint32_t i = 0; i < image.count; i++)
    if (image.pieces[i].copy != MAP_FAILED &&
        image.pieces[i].copy != small_copy)
      munmap(image.pieces[i].copy, image.pieces[i].head.bytes);
  if (!image.locked_before)
    spin_unlock(&image.lock);
  image_notes_unlock();
}

bool
image_after_fork_in_child(void)
{
  bool whole = true;
  for (uint32_t i = 0; i < image.count; i++) {
    const struct piece *p = &image.pieces[i];
    replace(p);
    if (p->copy != MAP_FAILED)
      memcpy(p->base, p->copy, p->head.bytes);
    if (p->copy != MAP_FAILED && p->copy != small_copy)
      munmap(p->copy, p->head.bytes);
    whole = whole && (p->copy != MAP_FAILED || !image.copies);
  }
  image.count = 0;
  image_file_drop();
  if (image.head != NULL)
    munmap(image.head, IMAGE_PAGE);
  image.head = NULL;
  image_notes_forked();
  image.lock.holder = 0;
  return whole;
}

void
image_leave(bool copy)
{
  image_before_fork(copy);
  image_after_fork_in_child();
}
