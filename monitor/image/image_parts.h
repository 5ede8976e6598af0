/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * image_parts.h -- what image.c, image_parts.c and image_notes.c have in
 * common: the arrays in the file.
 *
 * An array has a range of the file for all that it may become, most of
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

/* What is in memory of an array. */
struct part {
  char *base;   /* first byte; NULL: it was released */
  size_t bytes; /* its length */
};

extern struct image {
  struct spin_lock lock; /* of all fields but notes_lock and notes_held */
  struct image_file file;
  struct image_head *head; /* mapped, the directory behind it; NULL: no file;
                              read without the lock by image_is_open */
  struct arena arena;      /* memory of `parts' */
  struct part *parts; /* as in the directory */
  uint32_t count;     /* their number; 0 without a file */
  uint32_t owners;        /* last number of image_owner; atomic */
  uint32_t most_parts;    /* limit of entries in the directory */
  size_t directory_bytes; /* present bytes of the head and the directory */
  bool dense;             /* true: the file system has no holes */
  bool leaving;           /* true: image_close had no memory for some arrays */
  int error;              /* errno value of the last lack of room */
  struct spin_lock notes_lock; /* of `notes'; taken before `lock' */
  struct note_list notes;
  bool held, notes_held; /* locks that a forking thread had before the fork */
  bool sealed;           /* see arenas_seal; atomic */
  uintptr_t next_place;  /* number of the place that an arena tries next;
                            atomic */
} image;

/* ---- parts, under the lock ---- */

/* Returns the array at BASE; NULL if it is not in the image. */
struct part *part_at(const void *base);

/* Maps the head and the directory of a new file, all zero.  Returns the head,
 * which is to become image.head, or NULL with errno. */
struct image_head *directory_map(int file);

/* Unmaps image.head, unless it is NULL, which it becomes. */
void directory_unmap(void);

/* Moves an array of MOST bytes at most, of which the first USED bytes may not
 * be zero, into the file, and adds it to image.parts with ENTRY: its kind,
 * owner and size of records.  Returns false, with an errno value in
 * image.error, without room. */
bool part_add(struct part part, size_t used, size_t most,
              struct image_part entry);

/* Makes an array MORE bytes longer.  Returns false, with nothing changed, if
 * there is no room in its range, or on the disk. */
bool part_grow(struct part *part, size_t more);

/* Takes an array out of the image, and frees its bytes of the file.  The
 * caller unmaps the memory. */
void part_release(struct part *part);

/* Replaces the memory of all arrays by private memory, and takes them out of
 * image.parts: WHOLE, or zeroed but for stripes, regions and notes.  Returns
 * false, with some arrays still there, if the kernel refuses or is not asked
 * any more (arenas_seal). */
bool parts_leave(bool whole);

/* ---- notes ---- */

/* Puts all notes into a new image.  Returns 0 or an errno value. */
int image_notes_begin(void);
