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
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/image_format.h"
#include "image/arena.h"
#include "image/image.h"
#include "image/image_file.h"
#include "image/spin_lock.h"

/* A part of an array. */
struct part {
  char *base;   /* first byte */
  size_t bytes; /* its length in memory */
  size_t used;  /* leading bytes that may not be zero */
  size_t range; /* bytes it has in the file from entry.offset on; 0: none */
  size_t most;  /* limit in bytes for all of its array */
  uint32_t number;         /* of its entry in the directory */
  struct image_part entry; /* a copy */
};

extern struct image {
  struct spin_lock lock; /* of all fields but notes_lock and notes_held */
  struct image_file file;
  struct image_head *head; /* mapped, the directory behind it; NULL: no file;
                              read without the lock by image_is_open */
  struct arena arena;      /* memory of `parts' */
  struct part *parts; /* `count' of them, those of an array in their order */
  uint32_t count;
  uint32_t owners;        /* last number of image_owner; atomic */
  uint32_t most_parts;    /* limit of entries in the directory */
  size_t directory_bytes; /* present bytes of the head and the directory */
  bool dense;             /* true: the file system has no holes */
  int error;              /* errno value of the last lack of room */
  struct spin_lock notes_lock; /* of `notes'; taken before `lock' */
  struct note_list notes;
  bool held, notes_held; /* locks that a forking thread had before the fork */
  bool sealed;           /* see arenas_seal; atomic */
  uintptr_t next_place;  /* number of the place that an arena tries next;
                            atomic */
} image;

/* ---- parts, under the lock ---- */

/* Returns the part that begins at BASE, for an arena's address the first part
 * of its array; NULL if there is none. */
struct part *part_at(const void *base);

/* Returns true if both are parts of one array. */
static inline bool
part_is_of(const struct part *a, const struct part *b)
{
  return a->entry.kind == b->entry.kind && a->entry.owner == b->entry.owner;
}

/* Maps the head and the directory of a new file, all zero.  Returns the head,
 * for directory_unmap, or NULL with errno. */
struct image_head *directory_map(int file);
void directory_unmap(struct image_head *head);

/* Moves the part from memory into the open file, and adds an entry to the
 * directory.  Returns false with errno, and the part still in memory, without
 * room. */
bool part_put(int file, struct image_head *head, struct part *part);

/* Copies *PART to image.parts, and moves its memory into the file if there is
 * one.  Returns false, with an errno value in image.error, without room. */
bool part_add(struct part *part);

/* Makes a part that is in the file MORE bytes longer; its range must have
 * them.  Returns false, with nothing changed, if there is no room. */
bool part_grow(struct part *part, size_t more);

/* Removes image.parts[I], and frees its bytes of the file unless FILE, its
 * descriptor, is negative.  The caller unmaps the memory. */
void part_release(int file, uint32_t i);

/* ---- notes ---- */

/* Puts all notes into a new image.  Returns 0 or an errno value. */
int image_notes_begin(void);
