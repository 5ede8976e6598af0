/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Characters in UTF-8. */

#ifndef MPROF_UTF8_H
#define MPROF_UTF8_H

#include <stddef.h>

/* Returns the length in bytes of the UTF-8 character at TEXT
 * (NUL-terminated), or 0 if the bytes there are none. */
size_t utf8_length(const char *text);

#endif
