/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* What the image of a C program that runs shares with who reads it.
 *
 * Threads count under the locks of stripes (c/count/stripes.h), which are
 * in the image.  The reader takes all of them, reads the image, and opens
 * them again; no thread can count meanwhile.  If the reader dies, or takes
 * too long, a thread that has waited for a second opens the lock itself
 * (image/spin_lock.h): then what was read may be of two moments, which the
 * reader sees.
 *
 * A program with one thread takes the locks only if it was started to be
 * watched; others are read as they are, where what was being counted lacks.
 */

#ifndef MPROF_IMAGE_HOLD_H
#define MPROF_IMAGE_HOLD_H

#include "recover/image_reader.h"

/* Maps the stripes of the image PATH, which the program that counts in it
 * has, too.  NULL: it is no image of a C program, or has none yet. */
struct stripes *image_map_stripes(const char *path);
void image_unmap_stripes(struct stripes *shared);

/* Holds up all threads that count.  False: one that has a lock does not go
 * on.
 */
bool image_lock(struct stripes *shared);

/* Lets them go on.  False: one of them has opened a lock before. */
bool image_unlock(struct stripes *shared);

/* Returns whether a process counts in the image PATH with that HEAD. */
bool image_is_used(const char *path, const struct image_head *head);

#endif
