/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The locks in the image of a running C program, taken by its reader.
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

#pragma once

#include "recover/image_reader.h"

/* Maps the stripes of the image PATH, shared with the program that counts in
 * it; the caller unmaps them.  Returns NULL if it is no image of a C program,
 * has no stripes yet, or cannot be mapped. */
struct stripes *image_map_stripes(const char *path);
void image_unmap_stripes(struct stripes *shared);

/* Locks all stripes, so that no thread can count.  Returns false, and locks
 * none, if one stays locked for two seconds. */
bool image_lock(struct stripes *shared);

/* Unlocks all stripes.  Returns false if a thread had opened one itself: what
 * was read may be of two moments. */
bool image_unlock(struct stripes *shared);

/* Returns whether a process counts in the image PATH with that HEAD. */
bool image_is_used(const char *path, const struct image_head *head);
