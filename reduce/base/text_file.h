/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Whole files of text, in memory of the pool in use, with a zero behind. */

#ifndef MPROF_TEXT_FILE_H
#define MPROF_TEXT_FILE_H

#include <stddef.h>
#include <sys/stat.h>

/* The text of PATH; NULL, and errno, where it cannot be read.  *LENGTH gets
 * how many bytes it has; LENGTH may be NULL. */
char *text_file_read(const char *path, size_t *length);

/* The same for a regular file of at most MOST bytes, which need not be one:
 * a pipe or a device is not waited for.  *STATUS gets what stat says of it.
 */
char *text_file_read_regular(const char *path, size_t most, size_t *length,
                             struct stat *status);

/* The same for a file that has to be there: fails with why it is not. */
char *text_file_load(const char *path);

#endif
