/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* An image (common/image_format.h) as it was when its process ended.  Nothing
 * in it is trusted: once its trees are checked, they have numbers within
 * bounds, and chains that end.
 *
 * A process may end in the midst of a count or of a record.  What it had not
 * completed is left out, and that is no error.
 */

#pragma once

#include "base/input_file.h"
#include "base/pool.h"
#include "c/count/stripes.h"
#include "common/image_format.h"
#include "tree/context_tree.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

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

/* Objects of a leaf that a C program had lost at its end, found by reach/. */
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

/* Returns whether the file PATH is an image, whole or damaged; reads its
 * HEAD. */
bool image_read_head(const char *path, struct image_head *head);

/* Returns whether the OCTETS, if there are any, or else the file PATH are an
 * image, whole or damaged. */
bool image_is(const char *path, struct input_octets octets);

/* Reads the image that OCTETS are, or the file PATH if there are none; that
 * must outlive IMAGE.  Of a C program that runs and is watched, all counters
 * are of one moment (image_hold.h).  Fails if it cannot be read, or is
 * damaged. */
void image_read(struct image *image, const char *path,
                struct input_octets octets);

/* Frees the arrays of IMAGE, and with them its trees. */
void image_free(struct image *image);

/* Returns the array of KIND and OWNER (0: any), or NULL if there is none. */
const struct image_array *image_array(const struct image *image,
                                      enum image_kind kind, uint32_t owner);

/* Fails, as the image is damaged at OFFSET, in bytes, or MPROF_NO_OFFSET.
 * FORMAT and what goes into it say in what way. */
_Noreturn void image_fault(const struct image *image, int64_t offset,
                           const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Checks all trees, and mends what is not complete.  Fails if one is damaged.
 */
void image_check_trees(const struct image *image);

/* Returns whether anything was counted for LEAF. */
static inline bool
image_leaf_counts(const struct leaf *leaf)
{
  return leaf->count != 0 || leaf->bytes != 0 || leaf->activations != 0;
}
