/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * source_line.h -- positions in source files as lines.
 *
 * ECL notes of a function in which file its form begins and after how many
 * bytes; profiles and editors count lines.  The text of the last file is
 * kept, for functions of one file often follow each other.  Not inside the
 * hook.
 */
#ifndef MPROF_SOURCE_LINE_H
#define MPROF_SOURCE_LINE_H

#include <stddef.h>
#include <stdint.h>

struct source_text {     /* all zero: no file */
  char *path, *text;     /* owned */
  size_t size;
};

/* The line, from 1 on, of the form after `position' in the file `path'; 0
 * when it cannot be known: `path' is NULL or cannot be read, `position' is
 * negative or beyond the end. */
int64_t source_line(struct source_text *source, const char *path,
                    int position);
void source_text_release(struct source_text *source);

#endif
