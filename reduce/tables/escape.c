/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Runs of characters that need no escape are written at once. */

#include "tables/escape.h"

#include "base/names.h"

#include <string.h>

/* How many bytes at NAME are printable ASCII that needs no escape. */
static size_t
plain_length(const char *name, const char *extra)
{
  size_t length = 0;
  while (name[length] >= 0x20 && name[length] < 0x7f &&
         (*extra == '\0' ||
          (name[length] != '\\' && strchr(extra, name[length]) == NULL)))
    length++;
  return length;
}

/* Writes the one character at NAME, of which EXTRA may ask for an escape;
 * gives back its length. */
static size_t
escape_character(struct sink *sink, const char *name, const char *extra)
{
  unsigned char byte = (unsigned char)*name;
  size_t length = utf8_length(name);
  if (length == 0)
    length = 1;
  if (byte == '\n')
    sink_text(sink, "\\n");
  else if (byte == '\t')
    sink_text(sink, "\\t");
  else if (byte == '\r')
    sink_text(sink, "\\r");
  else if (byte == '\\' && *extra != '\0')
    sink_text(sink, "\\\\");
  else if (byte < 0x20 || byte == 0x7f || strchr(extra, byte) != NULL)
    sink_format(sink, "\\x%02x", byte);
  else if (length == 2 && byte == 0xc2 && (unsigned char)name[1] < 0xa0)
    sink_format(sink, "\\u%04x", (unsigned)(unsigned char)name[1]);
  else if (length == 3 && (strncmp(name, "\xe2\x80\xa8", 3) == 0 ||
                           strncmp(name, "\xe2\x80\xa9", 3) == 0))
    sink_text(sink, name[2] == '\xa8' ? "\\u2028" : "\\u2029");
  else
    sink_bytes(sink, name, length);
  return length;
}

void
escape_name(struct sink *sink, const char *name, const char *extra)
{
  while (*name != '\0') {
    size_t plain = plain_length(name, extra);
    sink_bytes(sink, name, plain);
    name += plain;
    if (*name != '\0')
      name += escape_character(sink, name, extra);
  }
}
