/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Writes names and strings with what escapes each format needs.  Text goes
 * through in runs of characters that need none. */

#include "base/quote.h"

#include <stdio.h>
#include <string.h>

size_t
utf8_length(const char *text)
{
  const unsigned char *c = (const unsigned char *)text;
  if (c[0] < 0x80)
    return 1;
  size_t length = c[0] >= 0xf0 ? 4 : c[0] >= 0xe0 ? 3 : 2;
  if (c[0] < 0xc2 || c[0] > 0xf4)
    return 0;
  for (size_t i = 1; i < length; i++)
    if ((c[i] & 0xc0) != 0x80)
      return 0;
  if ((c[0] == 0xe0 && c[1] < 0xa0) || (c[0] == 0xf0 && c[1] < 0x90))
    return 0; /* longer than needed */
  if ((c[0] == 0xed && c[1] > 0x9f) || (c[0] == 0xf4 && c[1] > 0x8f))
    return 0; /* a surrogate, or past U+10FFFF */
  return length;
}

/* What is escaped beside control characters and ends of lines, and how. */
struct escapes {
  const char *extra;    /* with the backslash, unless there are none */
  const char *lettered; /* those that become a backslash and a letter */
  const char *format;   /* of other ASCII characters */
};

enum { ESCAPE_BYTES = 8 };

/* Returns the length of the character at TEXT if it can be written as it is,
 * else 0. */
static size_t
plain_character(const unsigned char *text, const char *extra)
{
  const size_t length = utf8_length((const char *)text);
  if (length == 1)
    return text[0] >= 0x20 && text[0] != 0x7f &&
           (*extra == '\0' ||
            (text[0] != '\\' && strchr(extra, text[0]) == NULL));
  return (text[0] == 0xc2 && text[1] < 0xa0) ||
                 (text[0] == 0xe2 && text[1] == 0x80 &&
                  (text[2] == 0xa8 || text[2] == 0xa9))
             ? 0
             : length;
}

/* Returns how many bytes at TEXT can be written as they are. */
static size_t
plain_length(const unsigned char *text, const char *extra)
{
  size_t i = 0, length;
  while (text[i] != '\0' && (length = plain_character(text + i, extra)) > 0)
    i += length;
  return i;
}

/* Sets ESCAPE to that of the character at TEXT, which needs one; returns the
 * character's length in bytes. */
static size_t
escape_character(const unsigned char *text, const struct escapes *escapes,
                 char escape[ESCAPE_BYTES])
{
  static const char letters[] = "ntr\\\"";
  const char *found = strchr(escapes->lettered, text[0]);
  const size_t length = utf8_length((const char *)text);
  if (found != NULL)
    sprintf(escape, "\\%c", letters[found - escapes->lettered]);
  else if (length <= 1)
    sprintf(escape, length == 0 ? "\\x%02x" : escapes->format, text[0]);
  else if (length == 3)
    strcpy(escape, text[2] == 0xa8 ? "\\u2028" : "\\u2029");
  else
    sprintf(escape, "\\u%04x", text[1]);
  return length == 0 ? 1 : length;
}

static void
write_escaped(struct sink *sink, const char *text,
              const struct escapes *escapes)
{
  char escape[ESCAPE_BYTES];
  while (*text != '\0') {
    size_t plain = plain_length((const unsigned char *)text, escapes->extra);
    sink_bytes(sink, text, plain);
    text += plain;
    if (*text == '\0')
      return;
    text += escape_character((const unsigned char *)text, escapes, escape);
    sink_text(sink, escape);
  }
}

static const char name_letters[] = "\n\t\r\\", name_format[] = "\\x%02x";

void
escape_name(struct sink *sink, const char *name, const char *extra)
{
  const struct escapes escapes = {extra, name_letters, name_format};
  write_escaped(sink, name, &escapes);
}

void
escape_line(const char *text, char *line, size_t size)
{
  static const struct escapes escapes = {"", name_letters, name_format};
  const unsigned char *from = (const unsigned char *)text;
  char *const end = line + size - 1;
  while (*from != '\0') {
    char escape[ESCAPE_BYTES];
    size_t length = plain_character(from, "");
    const void *bytes = length > 0 ? (const void *)from : escape;
    const size_t read =
        length > 0 ? length : escape_character(from, &escapes, escape);
    if (length == 0)
      length = strlen(escape);
    if (length > (size_t)(end - line))
      break;
    line = mempcpy(line, bytes, length);
    from += read;
  }
  *line = '\0';
}

void
json_string(struct sink *sink, const char *text)
{
  static const struct escapes escapes = {"\"<", "\n\t\r\\\"", "\\u%04x"};
  sink_text(sink, "\"");
  write_escaped(sink, text, &escapes);
  sink_text(sink, "\"");
}

void
lisp_string(struct sink *sink, const char *text)
{
  sink_text(sink, "\"");
  for (size_t plain; *text != '\0'; text += plain) {
    if (*text == '"' || *text == '\\')
      sink_text(sink, "\\");
    plain = 1 + strcspn(text + 1, "\"\\");
    sink_bytes(sink, text, plain);
  }
  sink_text(sink, "\"");
}

void
base64(struct sink *sink, const void *octets, size_t length)
{
  const unsigned char *bytes = octets;
  static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
                               "abcdefghijklmnopqrstuvwxyz0123456789+/";
  for (size_t i = 0; i < length; i += 3) {
    size_t count = length - i < 3 ? length - i : 3;
    unsigned char b[3] = {0};
    memcpy(b, bytes + i, count);
    char four[4] = {digits[b[0] >> 2], digits[(b[0] & 3) << 4 | b[1] >> 4],
                    digits[(b[1] & 15) << 2 | b[2] >> 6], digits[b[2] & 63]};
    memset(four + 1 + count, '=', 3 - count);
    sink_bytes(sink, four, sizeof four);
  }
}
