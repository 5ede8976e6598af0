/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Whole files of text, in memory of the pool in use, with a zero behind. */

#pragma once

#include <stddef.h>
#include <sys/stat.h>

/* Returns the text of PATH, or NULL and errno if it cannot be read.  Sets
 * *LENGTH, unless LENGTH is NULL, to its bytes. */
char *text_file_read(const char *path, size_t *length);

/* Reads PATH in the same way if it is a regular file of at most MOST bytes,
 * without waiting for a pipe or a device.  Sets *STATUS to what stat says. */
char *text_file_read_regular(const char *path, size_t most, size_t *length,
                             struct stat *status);

/* Reads PATH in the same way; fails if it cannot be read or has a zero. */
char *text_file_load(const char *path);
