/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Names on one line; strings of JSON, also where that stands in a script or
 * an HTML page, and of Lisp; base 64.
 */

#pragma once

#include "base/sink.h"

/* Returns the length in bytes of the UTF-8 character at TEXT
 * (NUL-terminated), or 0 if the bytes there are none; 1 at the NUL. */
size_t utf8_length(const char *text);

/* Returns how many of LENGTH bytes at TEXT, which is UTF-8, are the whole
 * characters that fit into MOST bytes. */
static inline size_t
utf8_cut(const char *text, size_t length, size_t most)
{
  if (length <= most)
    return length;
  while (most > 0 && ((unsigned char)text[most] & 0xc0) == 0x80)
    most--;
  return most;
}

/* Writes NAME so that it stays on one line and tells a terminal nothing:
 * control characters, and the characters that Unicode takes for the end of a
 * line, become \n, \t, \r, \xNN or \uNNNN; so do bytes that are no UTF-8.
 * Each character of EXTRA, and the backslash when EXTRA is not empty, is
 * written as \xNN or \\ too; so the result can be undone. */
void escape_name(struct sink *sink, const char *name, const char *extra);

/* Sets LINE, of SIZE bytes, to TEXT as escape_name writes it without EXTRA,
 * or to as many whole characters as fit. */
void escape_line(const char *text, char *line, size_t size);

/* Writes TEXT, which is UTF-8, as a JSON string with its quotes.  Any JSON
 * reader gives TEXT back.  Beside what JSON asks for, these are written as
 * escapes: DEL and the control characters from U+0080 on; U+2028 and U+2029,
 * at which lines of a script end; "<", so that no text can close or open an
 * element. */
void json_string(struct sink *sink, const char *text);

/* Writes TEXT as a string for a Lisp reader, with its quotes: only the
 * backslash and the double quote are escaped, by a backslash. */
void lisp_string(struct sink *sink, const char *text);

/* Writes LENGTH bytes at OCTETS in base 64, padded by "=", on one line. */
void base64(struct sink *sink, const void *octets, size_t length);
