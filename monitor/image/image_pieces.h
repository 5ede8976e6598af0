/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * image_pieces.h -- what image.c, image_notes.c and image_forks.c have in
 * common.
 */
#ifndef MPROF_IMAGE_PIECES_H
#define MPROF_IMAGE_PIECES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/image_format.h"
#include "image/arena.h"
#include "image/signals.h"
#include "image/spin_lock.h"

/* A piece of memory, and where it is in the file.  It has the number of its
 * part in the directory. */
struct piece {
  char *base;  /* NULL: it was given back */
  size_t used; /* bytes of it when it is put there; the rest are zero */
  struct image_part part;
};

extern struct image {
  struct spin_lock lock;  /* of all that follows */
  struct image_head *head; /* in the file; NULL: there is none */
  struct arena arena;      /* of pieces */
  struct piece *pieces;
  uint32_t count;
  uint32_t owners;
  uint32_t most_parts; /* of the directory of the file */
  int error;           /* why something found no room in it */
  struct signals_held signals; /* the holder's state, restored on unlock */
  struct spin_lock notes_lock; /* of the notes; taken before `lock' */
  bool held, notes_held;       /* by the thread that forks, before */
} image;

/* ---- notes ---- */

/* Puts the notes into a new image.  Returns 0 or an errno value. */
int image_notes_begin(void);

/* The image is closed: notes are in memory until there is another. */
void image_notes_end(void);

/* Takes what the parent has written since the fork away from its child. */
void image_notes_forked(void);

#endif
