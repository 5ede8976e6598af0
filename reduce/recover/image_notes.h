/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The notes in an image, which say what its numbers stand for. */

#pragma once

#include "base/index_map.h"
#include "recover/image_reader.h"

struct note {
  uint64_t key, value, more;
  char *text; /* ends in a zero byte */
};

/* A file that code was from. */
struct note_module {
  uint64_t start, end, offset; /* of its code; offset in the file */
  const char *path, *build_id;
  uint64_t number; /* number among unloaded files; 0: it is loaded */
};

struct image_notes {
  struct note *notes; /* the last one of each kind and key */
  size_t count, capacity;
  struct index_map by_key[NOTE_KINDS];
  struct note_module *modules; /* the first is the program */
  size_t module_count, module_capacity;
  const char **comments;
  size_t comment_count, comment_capacity;
};

/* Takes the notes of IMAGE, whose memory has their texts. */
void image_notes_read(struct image_notes *notes, const struct image *image);

/* Returns the last note of KIND on KEY, or NULL if there is none. */
const struct note *image_note_find(const struct image_notes *notes,
                                   enum image_note_kind kind, uint64_t key);

/* Returns the text of that note, or OTHERWISE if there is none. */
const char *image_note_text(const struct image_notes *notes,
                            enum image_note_kind kind, uint64_t key,
                            const char *otherwise);

/* Returns the file loaded last that has the code at ADDRESS, or NULL.  With
 * UNLOADED, ADDRESS is made of RETIRED_OBJECT and RETIRED_OFFSET.  Sets
 * *OFFSET to the bytes from the start of the file's code to the place. */
const struct note_module *image_module(const struct image_notes *notes,
                                       uint64_t address, bool unloaded,
                                       uint64_t *offset);
