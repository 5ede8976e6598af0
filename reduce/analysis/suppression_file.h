/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Reads a file of suppressions, in the form of LeakSanitizer:
 *
 *     # a comment
 *     leak:PATTERN
 */

#ifndef MPROF_SUPPRESSION_FILE_H
#define MPROF_SUPPRESSION_FILE_H

#include <stdbool.h>
#include <stddef.h>

struct suppression_file { /* all zero: empty */
  const char **patterns;
  size_t count, capacity;
};

/* Reads the file PATH.  Fails if it cannot be read, or has another line. */
struct suppression_file suppression_file_read(const char *path);

/* Returns whether a pattern of FILE matches TEXT, the name of a function or a
 * file. */
bool suppression_file_names(const struct suppression_file *file,
                            const char *text);

#endif
