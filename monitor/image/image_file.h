/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * image_file.h -- the file of an image (image.h), which is open only while
 * something is done with it, unless it is kept open.  Under the lock of the
 * image.
 */
#ifndef MPROF_IMAGE_FILE_H
#define MPROF_IMAGE_FILE_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

extern struct image_file {
  char path[PATH_MAX];
  dev_t device; /* of the file that was made */
  ino_t inode;
  uint64_t end; /* of what is used of it */
  int begun;    /* its descriptor until image_file_begun; else -1 */
  bool forbidden; /* a filter ends the process for opening a file */
} image_file;

/* From now on files have the rights that the umask of now gives them, or
 * fewer, if the program takes more away; without it, those by the umask of
 * the moment.  For a moment the umask is another one: when the process
 * begins. */
void image_file_keep_mask(void);

/* Makes it anew, and opens it.  An image that is there gets the name
 * PATH.PID, of its process, and any other regular file is moved out of the
 * way; with `exclusive' there may be nothing.  Returns a negative number,
 * with errno set, when that fails. */
int image_file_make(const char *path, bool exclusive);

/* Removes the file that image_file_make moved out of the way if the new one
 * WORKS, which is known once something counts in it; else puts it back, after
 * the new one has been removed.  Does nothing the second time. */
void image_file_settle(bool works);

/* Open it, if it is still the one that was made.  Negative: it is not. */
int image_file_open(void);
void image_file_close(int file);

/* Closes it after it was made; until then image_file_open returns that
 * descriptor, if the program has not closed it. */
void image_file_begun(void);

/* All descriptors that this process may have are in use: calls WORK, which
 * makes the file, in a copy that shares its memory and has one descriptor less.
 * The program's wait does not find the copy, which sends no signal.  Signals
 * are held.  Returns what WORK does, 0 or an errno value. */
int image_file_elsewhere(int (*work)(void *closure), void *closure);

/* Makes the file BYTES longer, by a hole.  Returns 0 or an errno value. */
int image_file_lengthen(int file, uint64_t bytes);

/* Returns true if the file system has no holes. */
bool image_file_is_dense(int file);

#endif
