/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * image.h -- counters in a file that outlives the program.
 *
 * Model.  The hook writes to arenas, and knows nothing of files.  With an
 * image the pages of some arenas are those of a file, mapped shared, so that
 * the kernel has them when the process is gone.  A program may be killed at
 * any instruction; image_format.h says what is in the image then.
 *
 * The file is one hole, in which each array has a range for all that it may
 * become (image_parts.h).  A page of it is made present before it is touched:
 * a full disk is no signal.  Where there is no room, an array that is in the
 * image does not grow: its owner counts in what it has, and the image says
 * that it is not complete.  The file is open only while an array is
 * added, since programs close and use descriptors as they like; an array
 * grows without that.
 *
 * Forks.  The child has no image, and nothing of its parent's is in its
 * memory but what image_forked leaves there.
 *
 * Locks of its own; takes memory from the kernel alone.  All but open and
 * close may run inside the hook.  Without an image all do nothing.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/image_format.h"
#include "image/arena.h"

/* Begins an image in a new file PATH; for an existing file, and `exclusive',
 * see image_file_make.  Returns 0, and image_opened is to follow, until which
 * the file stays open; EBUSY if an image is open, or another errno value.
 * One thread at a time. */
int image_open(const char *path, enum image_language language,
               bool exclusive);

/* Ends what image_open began; to be called once all arrays are in the image.
 * Returns 0, and image_file_settle is to follow.  If an array found no room,
 * removes the file and returns an errno value.  Nobody may write to an array
 * in the image meanwhile. */
int image_opened(void);

/* Closes the image; its arrays become memory of the process, to which nobody
 * may write meanwhile.  Removes the file, since its figures are saved or there
 * are none, and puts an unsettled file that it replaced back; with `keep'
 * leaves the file, and removes the one that it replaced.  Does nothing if none
 * is open.  Returns false without memory for some of the arrays, which stay in
 * the file, with or without a name: see image_is_left. */
bool image_close(bool keep);

/* Returns true unless image_close had no memory for some of the arrays, and
 * there is still none. */
bool image_is_left(void);

/* Returns true from image_open until image_close. */
bool image_is_open(void);

/* Returns a new number, from 1 on, for the arrays of one owner. */
uint32_t image_owner(void);

/* Puts the arena, of which the first USED bytes are written to, into the
 * image as OWNER's array of that kind, of records of RECORD_BYTES.  Nobody
 * may write to it meanwhile.  Returns true also if no image is open; false
 * with ENOMEM if there is no room. */
bool image_map(const struct arena *arena, size_t used, enum image_kind kind,
               uint32_t owner, uint32_t record_bytes);

/* ---- for arenas ---- */

/* Makes the arena, which is in the image, longer by MORE bytes.  Returns false
 * with ENOMEM if there is no room. */
bool image_extend(const struct arena *arena, size_t more);

/* Returns true if the arena at BASE is in the image, all of it; false also
 * where the kernel is not asked any more (arenas_seal). */
bool image_has(const void *base);

/* Takes the arena at BASE, which is to be unmapped, out of the image, and
 * gives its room in the file back.  Does nothing if it is not in the
 * image. */
void image_release(const void *base);

/* ---- what is no counter ----
 *
 * A note says what a number in an image stands for.  It is added to a list,
 * or to the image of the process. */

struct note_list {    /* all zero: empty */
  struct arena arena; /* its first word is a copy of `used' for readers */
  uint64_t used;      /* bytes, with that word */
  bool failed;        /* true: a note is missing for lack of memory */
};

/* Appends a note; TEXT may be NULL.  Sets list->failed if there is no memory.
 * If LIST is NULL, calls image_note instead. */
void note_add(struct note_list *list, enum image_note_kind kind, uint64_t key,
              uint64_t value, uint64_t more, const char *text);

/* Appends the comment KEY=TEXT, cut to 599 bytes, TEXT being made from
 * FORMAT; fails as note_add does. */
void note_comment(struct note_list *list, const char *key, const char *format,
                  ...) __attribute__((format(printf, 3, 4)));

/* Writes a note (image_format.h; TEXT may be NULL).  It is in the open image,
 * in each that is opened later, and in those of forked children.  Drops it
 * without memory, and in a signal handler that interrupted this function. */
void image_note(enum image_note_kind kind, uint64_t key, uint64_t value,
                uint64_t more, const char *text);

/* Makes room for BYTES of notes, as far as there is any.  Not in a handler of
 * a signal. */
void image_reserve_notes(size_t bytes);

/* Appends all notes of this process to the list; sets its `failed' if there
 * is no memory. */
void image_copy_notes(struct note_list *to);

/* Marks the image while all figures are forgotten, so that readers know a
 * half-cleared image; or ends that. */
void image_set_forgetting(bool forgetting);

/* ---- forks ---- */

/* Locks image and notes before a fork, or unlocks them after it, so that the
 * child gets complete lists.  Leaves locks that this thread has alone. */
void image_fork_lock(void);
void image_fork_unlock(void);

/* Leaves the parent's image in the child of a fork: replaces all memory that
 * is in it by private memory, zeroed but for stripes, regions and notes, and
 * opens its locks.  Returns false if the kernel refuses, or is not asked any
 * more (arenas_seal): then some of the memory is still the parent's and must
 * not be written to. */
bool image_forked(void);

/* Leaves this process's own image in the same way, with the same result; the
 * file stays as it is.  Other threads may look at locks in the image
 * meanwhile, but write to nothing in it. */
bool image_leave(void);
