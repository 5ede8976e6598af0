/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * image_file.h -- the file of an image (image.h), which is open only while
 * something is done with it.  Under the lock of the image.
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
} image_file;

/* Make it anew, and open it; an image that is there gets another name.
 * Negative, with errno set, when that fails. */
int image_file_make(const char *path);

/* Open it, if it is still the one that was made.  Negative: it is not. */
int image_file_open(void);

/* Make room for `bytes' behind its end, which is where it was.  Gives back 0
 * or an errno value. */
int image_file_allocate(int file, uint64_t bytes);

/* Write there.  False with errno set. */
bool image_file_write(int file, const void *bytes, size_t n, uint64_t offset);

#endif
