/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Counters of a C program that runs, all of one moment.
 *
 * Threads count under the locks of stripes (c/count/stripes.h), which are
 * in the image.  The reader takes all of them, copies what they guard, and
 * opens them again; no thread can count meanwhile.  If the reader dies, a
 * thread that has waited for a second opens the lock itself (image/spin_lock.h):
 * then what was copied may be of two moments, which the reader sees.
 *
 * A program with one thread takes the locks only if it was started to be
 * watched; others are read as they are, where what was being counted lacks.
 */

#ifndef MPROF_IMAGE_HOLD_H
#define MPROF_IMAGE_HOLD_H

#include "recover/image_reader.h"

/* A piece of the array of that number: where it is there, and in the file. */
struct image_part {
  size_t array;
  uint64_t at, offset, bytes;
};

struct image_hold {
  struct stripes *stripes; /* mapped */
  uint64_t generation;     /* of the moment */
  bool whole;              /* no lock was opened by anybody else */
};

/* Whether arrays of that KIND are copied. */
bool image_is_held(enum image_kind kind);

/* Copies these arrays of IMAGE, whose pieces in FILE up to the offset END are
 * PARTS: makes and fills in their bytes.  False: nobody counts in them any
 * more, or they cannot be held. */
bool image_hold(struct image_hold *hold, struct image *image, int file,
                const struct image_part *parts, size_t count, uint64_t end);

/* Whether nothing has changed what other arrays have since then. */
bool image_hold_is_good(const struct image_hold *hold);
void image_hold_release(struct image_hold *hold);

/* Leaves a request (sum of enum count_request) to the program that counts in
 * IMAGE, which was read.  False: a thread that has a lock does not go on. */
bool image_request(struct image *image, uint32_t request);

/* Maps the stripes of the image PATH, which the program that counts in it has,
 * too.  NULL: it is no image of a C program, or has none yet. */
struct stripes *image_map_stripes(const char *path);
void image_unmap_stripes(struct stripes *shared);

/* Whether a process counts in the image PATH, of which HEAD was read. */
bool image_is_used(const char *path, const struct image_head *head);

/* How long threads were held up for the last copy, in nanoseconds. */
extern uint64_t image_held_nanoseconds;

#endif
