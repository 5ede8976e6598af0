/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* An image (common/image_format.h) as it was when its process ended, or as it
 * is.  Nothing in it is trusted: once its trees are checked, they have
 * numbers within bounds, and chains that end.
 *
 * A process may end in the midst of a count or of a record.  What it had not
 * completed is left out, and that is no error.
 */

#pragma once

#include "base/index_map.h"
#include "base/input_file.h"
#include "base/pool.h"
#include "c/count/stripes.h"
#include "common/image_format.h"
#include "tree/context_tree.h"

/* The records of all parts of an array; none if the length is 0. */
struct image_array {
  enum image_kind kind;
  uint32_t owner;
  char *bytes;
  size_t length, capacity;
};

struct image_tree {
  uint32_t owner;
  struct context_tree tree; /* contexts, leaves, kinds and how many; leaves
                               that count nothing may be anything */
};

/* Objects of a leaf that a C program had lost at its end (leak_search/). */
struct leaf_loss {
  struct object_count direct, indirect;
};

struct losses {             /* all zero: none */
  struct leaf_loss *leaves; /* by number of the leaf */
  size_t count;
  uint64_t unfound; /* objects that were not found, and count as reachable */
};

struct timeline;

struct image { /* all zero: empty */
  const char *path;
  uint64_t bytes;                  /* of those parts of it that are read */
  const struct losses *losses;     /* NULL: they are not known */
  const struct timeline *timeline; /* NULL: there is none */
  struct image_head head;
  struct image_array *arrays;
  size_t array_count, array_capacity;
  struct image_tree *trees; /* their memory is that of the arrays */
  size_t tree_count, tree_capacity;
};

/* Returns whether the file PATH is an image, whole or damaged.  Fills HEAD,
 * in which what a short file lacks is zero.  Never fails. */
bool image_read_head(const char *path, struct image_head *head);

/* Reads the image that OCTETS are, or the file PATH if there are none, into
 * memory of the pool in use.  PATH, the name in messages, must outlive IMAGE.
 * Of a C program that runs and is watched, all counters are of one moment
 * (image_hold.c).  Fails if it cannot be read, is of another version of
 * mprof, or is damaged; trees are not checked yet. */
void image_read(struct image *image, const char *path,
                struct input_octets octets);

/* Returns the records of the array of KIND and OWNER (0: any), of *LENGTH
 * bytes; NULL and 0 without such an array. */
void *image_array(const struct image *image, enum image_kind kind,
                  uint32_t owner, size_t *length);

/* Fails, as the image is damaged at OFFSET, in bytes, or MPROF_NO_OFFSET.
 * FORMAT and what goes into it say in what way. */
_Noreturn void image_fault(const struct image *image, int64_t offset,
                           const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Checks all trees, and changes their records so that what is not complete
 * counts nothing.  Fails if one is damaged. */
void image_check_trees(const struct image *image);

/* Returns whether anything was counted for LEAF. */
static inline bool
image_leaf_counts(const struct leaf *leaf)
{
  return leaf->count != 0 || leaf->bytes != 0 || leaf->activations != 0;
}

/* ---- the sums of what a C program counts: c_counters.c ---- */

struct c_counters {
  struct stripes stripes;    /* pointers in it are the process's */
  struct context_tree *tree; /* the image's; its leaves get the sums */
  struct leaf_counters *by_leaf; /* by number of the leaf */
  struct leaf_loss *losses;      /* the same; all zero: none is known */
  uint64_t contexts, bytes;      /* paths, and the memory of their records */
  struct {
    uint64_t count, bytes, peak_bytes;
  } total; /* over all leaves; the most bytes that were live */
};

/* Sets COUNTERS to the sums of the counters of IMAGE, and checks its trees.
 * Fails if they are damaged. */
void c_counters_find(struct c_counters *counters, struct image *image);

/* ---- the notes, which say what numbers stand for: image_notes.c ---- */

struct note {
  uint64_t key, value, more;
  char *text; /* ends in a zero byte */
};

/* A file that code was from. */
struct note_module {
  uint64_t start, end, offset; /* addresses where its code begins and ends;
                                  offset of that in the file, in bytes */
  const char *path, *build_id; /* "": not known */
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

/* Sets NOTES to the notes of IMAGE, whose memory has their texts; to be
 * called once.  Fails if a note is damaged, unless the image had no room for
 * it. */
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
 * *OFFSET to the bytes from the start of the file's code to the place; add
 * the module's own offset for that in the file. */
const struct note_module *image_module(const struct image_notes *notes,
                                       uint64_t address, bool unloaded,
                                       uint64_t *offset);

/* ---- the locks of a running C program: image_hold.c ---- */

/* Threads count under the locks of stripes (c/count/stripes.h), which are
 * in the image.  The reader takes all of them, reads the image, and opens
 * them again; no thread can count meanwhile.  If the reader dies, or takes
 * too long, a thread that has waited for a second opens the lock itself
 * (image/spin_lock.h): then what was read may be of two moments, which the
 * reader sees.
 *
 * A program with one thread takes the locks only if it was started to be
 * watched; others are read as they are, where what was being counted lacks.
 */

/* Maps the stripes of the image PATH, shared with the program that counts in
 * it; the caller unmaps them.  Returns NULL if it is no image of a C program,
 * has no stripes yet, or cannot be mapped. */
struct stripes *image_map_stripes(const char *path);
void image_unmap_stripes(void *shared);

/* Calls READ with CLOSURE while no thread of the process that counts in the
 * image PATH, with that HEAD, can count; a hundred times at most, until what
 * was read is of one moment.  Returns false if it never is.  Does nothing if
 * there is no such process, if it does not let itself be held up, or if a
 * thread keeps its lock for two seconds. */
bool image_hold(const char *path, const struct image_head *head,
                void (*read)(void *closure), void *closure);

/* Returns whether a process counts in the image PATH with that HEAD. */
bool image_is_used(const char *path, const struct image_head *head);
