/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* What the numbers in an image stand for. */

#ifndef MPROF_RECOVER_IMAGE_NOTES_H
#define MPROF_RECOVER_IMAGE_NOTES_H

#include "base/index_map.h"
#include "recover/image_reader.h"

struct note {
  uint64_t key, value, more;
  char *text; /* ends in a zero byte */
};

/* A file that code was from. */
struct note_module {
  uint64_t start, end, offset; /* its code; the first of it in the file */
  const char *path, *build_id;
  uint64_t number; /* among those that were unloaded; 0: it was loaded */
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

/* Returns the last note on that; NULL: there is none. */
const struct note *image_note_find(const struct image_notes *notes,
                                   enum image_note_kind kind, uint64_t key);

/* Returns its text, or OTHERWISE. */
const char *image_note_text(const struct image_notes *notes,
                            enum image_note_kind kind, uint64_t key,
                            const char *otherwise);

/* Returns the file of the code at ADDRESS, loaded last, or if that is
 * UNLOADED of RETIRED_OFFSET in RETIRED_OBJECT; NULL: none.  Sets *OFFSET to
 * how far the place is into the code. */
const struct note_module *image_module(const struct image_notes *notes,
                                       uint64_t address, bool unloaded,
                                       uint64_t *offset);

#endif
