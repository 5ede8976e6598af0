/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * image_file.h -- the file of an image (image.h), which is open only while
 * something is done with it, unless it is kept open.  Under the lock of the
 * image.
 */
#pragma once

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct image_file {
  char path[PATH_MAX]; /* name that it was made with */
  dev_t device;        /* of the file that was made, to know it again */
  ino_t inode;
  uint64_t end; /* bytes of it in use; the next range begins there */
  mode_t mask;  /* see image_file_keep_mask */
  char old[PATH_MAX + 32]; /* what the file that was there is called until the
                              new one is known to work; "": there was none */
  bool old_stays;          /* with that name: it is another image */
  int begun; /* its descriptor until image_file_begun; else -1 */
};

/* Keeps the present umask for all files made from now on; they have fewer
 * rights if the program's umask takes more away by then.  Without this call
 * only that one counts.  To be called when the process begins, with one
 * thread: it changes the umask for a moment. */
void image_file_keep_mask(void);

/* Makes the file PATH and opens it.  An image that is there is renamed
 * PATH.PID, after its process, and any other regular file is moved out of the
 * way; with `exclusive' an existing file is an error.  Returns its
 * descriptor, for image_file_begun to close, or a negative number with errno
 * set.  In either case image_file_settle is to follow. */
int image_file_make(const char *path, bool exclusive);

/* Removes the file that image_file_make moved out of the way if the new one
 * WORKS, which is known once counting in it has begun; an image renamed
 * PATH.PID stays.  Else puts it back; remove the new one before.  Does
 * nothing the second time. */
void image_file_settle(bool works);

/* Opens the file if it is still the one that was made.  Returns a descriptor,
 * for image_file_close, or a negative number, for which that does nothing, if
 * it is another file or cannot be opened. */
int image_file_open(void);
void image_file_close(int file);

/* Closes the descriptor that image_file_make returned, which image_file_open
 * has returned until then, unless the program has closed it. */
void image_file_begun(void);

/* Returns how long the process may make a file, in bytes (RLIMIT_FSIZE). */
uint64_t image_file_limit(void);

/* Makes the file BYTES longer, by a hole.  Returns 0 or an errno value: EFBIG
 * if the process may not have so long a file. */
int image_file_lengthen(int file, uint64_t bytes);

/* Returns true if the file has no holes: its file system makes none. */
bool image_file_is_dense(int file);
