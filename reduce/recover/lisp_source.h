/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Lines of Lisp source.
 *
 * ECL notes of a function in which file its form begins and after how many
 * bytes.  The text of the last file is kept, for functions of one file often
 * follow each other.
 */
#ifndef MPROF_RECOVER_LISP_SOURCE_H
#define MPROF_RECOVER_LISP_SOURCE_H

#include <stddef.h>
#include <stdint.h>

struct source_text { /* all zero: no file */
  char *path, *text; /* the owner frees both */
  size_t size;
};

/* The line where the form begins that is `position' bytes into `file', 0 when
 * it cannot be known (`file' is NULL, `position' negative).  The position is
 * before the form: blank lines follow it. */
int64_t source_line(struct source_text *source, const char *file,
                    int64_t position);

#endif
