/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* A line of a source file that is still there. */

#ifndef MPROF_SOURCE_TEXT_H
#define MPROF_SOURCE_TEXT_H

#include <stdbool.h>
#include <stdint.h>

enum { SOURCE_TEXT_BYTES = 120 };

/* TEXT gets line LINE, counted from 1, of the regular file PATH, without
 * blanks at its ends, cut where it is too long.  False: there is no such
 * line. */
bool source_text(const char *path, int64_t line,
                 char text[SOURCE_TEXT_BYTES]);

#endif
