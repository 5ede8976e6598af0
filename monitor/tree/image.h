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
 * Room in the file is allocated before a page of it is touched: a full disk
 * is no signal.  Where there is none, the memory stays the process's own, the
 * program goes on, and the image says that it is not complete.  The file is
 * opened when it grows and closed again, so that no program ever writes into
 * it, or the monitor into a file of the program's.
 *
 * Forks.  The child has what its parent counted in memory of its own, or
 * zeros, and no image.
 *
 * Locks of its own; takes memory from the kernel alone.  All but open and
 * close may run inside the hook.  Without an image all do nothing.
 */
#ifndef MPROF_IMAGE_H
#define MPROF_IMAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/image_format.h"

struct arena;
struct code_object;

/* Begin an image in the file PATH, which is made; an image that is there gets
 * the name PATH.PID, of its process, unless this process has saved it before
 * exec.  What was in the last one of this process, which is closed, is in it
 * again.  Gives back 0 or an errno value.  One thread at a time. */
int image_open(const char *path, enum image_language language);

/* Take the file away, since all that is in it is saved, or with `keep' do not.
 */
void image_close(bool keep);

/* Whether all that is in it is saved, as before exec; it goes on if that
 * fails. */
void image_is_saved(bool saved);

/* Make no system call any more but for memory: what is new is in the image as
 * far as that has room. */
void image_freeze(void);

bool image_is_open(void);

/* Whether something has found no room in it. */
bool image_is_incomplete(void);

/* A number for the arrays of one owner, from 1 on. */
uint32_t image_owner(void);

/* From now on the arena, of which `used' bytes are written to, is in the
 * image as the array of that kind.  Nobody may write to it meanwhile. */
void image_map(const struct arena *arena, size_t used, enum image_kind kind,
               uint32_t owner);

/* ---- for arenas ---- */

/* The arena at `base' is now `bytes' longer, at `end'. */
void image_extend(const void *base, void *end, size_t bytes);

/* Whether it is in the image, which is true of all of its memory or none. */
bool image_has(const void *base);

/* It is given back. */
void image_release(const void *base);

/* ---- what is no counter ---- */

/* Write a note.  In a handler of a signal that came while the thread writes
 * another one, it is lost. */
void image_note(enum image_note_kind kind, uint64_t key, uint64_t value,
                uint64_t more, const char *text);

/* Forget all notes, since they will be written anew; nobody writes one. */
void image_forget_notes(void);

/* The owner of the arena at `base'; 0: none. */
uint32_t image_owner_of(const void *base);

/* All figures are being forgotten, or have been. */
void image_forgets(bool begins);

/* ---- forks, with nobody writing to what is in the image ---- */

/* Before it, with `copy' for a child that goes on with the figures: without,
 * it has zeros but for stripes and regions. */
void image_before_fork(bool copy);
void image_after_fork_in_parent(void);

/* False: there was no memory for a copy, and something is zero. */
bool image_after_fork_in_child(void);

#endif
