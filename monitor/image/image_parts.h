/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * image_parts.h -- what image.c, image_parts.c, image_notes.c and
 * image_forks.c have in common: the parts of arrays in the file.
 *
 * A part has a range of the file for all that its array may become, most of
 * which is a hole.  Only what exists of it is mapped, and is made present
 * before it is used, so that a full disk is an error and no signal.  It grows
 * in its place, for which the file need not be open.
 */
#ifndef MPROF_IMAGE_PARTS_H
#define MPROF_IMAGE_PARTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/image_format.h"
#include "image/arena.h"
#include "image/spin_lock.h"

/* A part of an array.  It has the same number in the directory. */
struct part {
  char *base;   /* NULL: it was given back */
  size_t bytes; /* mapped from there on */
  size_t used;  /* bytes that are not zero, at most */
  size_t range; /* bytes of the file from its offset on; 0: none */
  size_t most;  /* bytes that its array may have */
  struct image_part entry;
};

extern struct image {
  struct spin_lock lock;   /* of all that follows */
  struct image_head *head; /* with the directory; NULL: there is no file */
  struct arena arena;      /* of parts */
  struct part *parts;
  uint32_t count;
  uint32_t owners;
  uint32_t most_parts;    /* of the directory */
  size_t directory_bytes; /* present, with the head */
  bool dense;             /* the file system has no holes */
  int error;              /* why something found no room in it */
  struct spin_lock notes_lock; /* of the notes; taken before `lock' */
  bool held, notes_held;       /* by the thread that forks, before */
} image;

/* ---- parts, under the lock ---- */

/* Returns the first part of the array at BASE, or NULL. */
struct part *part_at(const void *base);

/* Returns whether both are of one array. */
static inline bool
part_is_of(const struct part *a, const struct part *b)
{
  return a->entry.kind == b->entry.kind && a->entry.owner == b->entry.owner;
}

/* Maps the head and the directory of a new file, all zero.  Returns them, or
 * NULL with errno. */
struct image_head *directory_map(int file);
void directory_unmap(struct image_head *head);

/* Moves the part, which is in memory, into the open file as that NUMBER of
 * the directory.  Returns false with errno if there is no room: it is in
 * memory. */
bool part_put(int file, struct image_head *head, uint32_t number,
              struct part *part);

/* Lists a new part, and moves it into the file if there is one.  Returns
 * false with image.error if there is no room. */
bool part_add(struct part *part);

/* Makes a part that is in the file MORE bytes longer, which are in its range.
 * Returns false if there is no room. */
bool part_grow(struct part *part, size_t more);

/* Gives the part NUMBER back.  FILE is negative if it cannot be opened. */
void part_release(int file, uint32_t number);

/* ---- notes ---- */

/* Puts the notes into a new image.  Returns 0 or an errno value. */
int image_notes_begin(void);

/* Keeps the notes in memory until there is another image. */
void image_notes_end(void);

/* Takes what the parent has written since the fork away from its child. */
void image_notes_forked(void);

#endif
