/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * image.h -- counters in a file that outlives the program.
 *
 * Model.  What arenas hold is as before: the hook writes to memory and knows
 * nothing of files.  With an image the pages of some arenas are those of a
 * file, mapped shared, so that the kernel has them when the process is gone.
 * A program is killed at any instruction; what is in the image then is told
 * by image_format.h.
 *
 * The file is one hole, in which each array has a range for all that it may
 * become (image_parts.h).  A page of it is made present before it is touched:
 * a full disk is no signal.  Where there is no room, an array that is in the
 * image does not grow: its owner counts in what it has, and the image says
 * that it is not complete.  The file is opened for a new array and closed
 * again, so that no program ever writes into it, or the monitor into a file
 * of the program's; an array grows without that.
 *
 * Forks.  The child has no image, and nothing of its parent's is in its
 * memory but what image_forked leaves there.
 *
 * Locks of its own; takes memory from the kernel alone.  All but open and
 * close may run inside the hook.  Without an image all do nothing.
 */
#ifndef MPROF_IMAGE_H
#define MPROF_IMAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "common/image_format.h"

struct arena;
struct note_list;

/* Begin an image in the file PATH, which is made; for what may be there, and
 * `exclusive', see image_file_make.  What was in the last one of this
 * process, which is closed, is in it again.  The file is open until
 * image_opened. `process' is the number of this one. Gives back 0 or an errno
 * value.  One thread at a time. */
int image_open(const char *path, enum image_language language, pid_t process,
               bool exclusive);

/* Ends what image_open began, when all that there is was put into it.
 * Returns 0, and image_file_settle is to follow; or why something was not: then
 * the file was removed.  Nobody may write to what is in it meanwhile. */
int image_opened(void);

/* Takes the file away, since all that is in it is saved or nothing was counted,
 * and puts the one before back that is not settled; with `keep' does not. */
void image_close(bool keep);

bool image_is_open(void);

/* A number for the arrays of one owner, from 1 on. */
uint32_t image_owner(void);

/* Puts the arena, of which USED bytes are written to, into the image as the
 * array of that kind, of records of RECORD_BYTES.  Nobody may write to it
 * meanwhile.  Returns false with ENOMEM if there is no room. */
bool image_map(const struct arena *arena, size_t used, enum image_kind kind,
               uint32_t owner, uint32_t record_bytes);

/* ---- for arenas ---- */

/* Makes the arena at BASE, which is in the image and ends at END, BYTES
 * longer. Returns false with ENOMEM if there is no room. */
bool image_extend(const void *base, const void *end, size_t bytes);

/* Whether it is in the image, which is true of all of its memory or none. */
bool image_has(const void *base);

/* It is given back. */
void image_release(const void *base);

/* ---- what is no counter ---- */

/* Write a note, which is in each image that is opened from now on, and in
 * those of processes that are copies of this one.  In a handler of a signal
 * that came while the thread writes another one, it is lost. */
void image_note(enum image_note_kind kind, uint64_t key, uint64_t value,
                uint64_t more, const char *text);

/* Append all notes that were written to the list. */
void image_copy_notes(struct note_list *to);

/* All figures are being forgotten, or have been. */
void image_forgets(bool begins);

/* ---- forks ---- */

/* Lock all of it, or unlock it, so that another process gets whole lists. */
void image_fork_lock(void);
void image_fork_unlock(void);

/* Returns true if figures are in an image, or were when it was closed. */
bool image_has_parts(void);

/* In a copy of a process: puts memory of its own in the place of what is in
 * its parent's image, all zero but for stripes, regions and notes, and
 * forgets that image.  Returns false if the kernel refuses: then some of it
 * is still the parent's, and must not be written to. */
bool image_forked(void);

/* Leaves the image in the same way; the file stays as it is.  Nobody else may
 * write to what is in it, but look at locks. */
bool image_leave(void);

#endif
