/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * note_list.h -- the notes of an image in memory, as they stand in it
 * (image_format.h).
 *
 * A note says what a number in an image stands for.  It is added to a list,
 * or (image_note) to the image of the process.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/image_format.h"
#include "image/arena.h"

struct note_list {    /* all zero: empty */
  struct arena arena; /* its first word is a copy of `used' for readers */
  uint64_t used;      /* bytes, with that word */
  bool failed;        /* true: a note is missing for lack of memory */
};

/* Appends `bytes' of whole notes; sets list->failed if there is no memory. */
void note_append(struct note_list *list, const void *notes, size_t bytes);

/* Appends a note; TEXT may be NULL.  Sets list->failed if there is no memory.
 * If LIST is NULL, calls image_note instead. */
void note_add(struct note_list *list, enum image_note_kind kind, uint64_t key,
              uint64_t value, uint64_t more, const char *text);

/* Appends the comment KEY=TEXT, cut to 599 bytes, TEXT being made from
 * FORMAT; fails as note_add does. */
void note_comment(struct note_list *list, const char *key, const char *format,
                  ...) __attribute__((format(printf, 3, 4)));
