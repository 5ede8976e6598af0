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

/* A part of a text, and what is written in its place. */
struct piece {
  const char *bytes;   /* those of the text; or `escape' */
  size_t length, read; /* bytes to write; and of the text */
  char escape[8];
};

/* Sets PIECE to the beginning of TEXT, which is not empty: all that can be
 * written as it is, or one character that needs an escape. */
static void
take_piece(struct piece *piece, const char *text,
           const struct escapes *escapes)
{
  static const char letters[] = "ntr\\\"";
  const unsigned char *c = (const unsigned char *)text;
  const char *letter = strchr(escapes->lettered, *text);
  size_t length, plain = 0;
  while (c[plain] != '\0' &&
         (length = plain_character(c + plain, escapes->extra)) > 0)
    plain += length;
  *piece = (struct piece){text, plain, plain, ""};
  if (plain > 0)
    return;
  length = utf8_length(text);
  if (letter != NULL)
    sprintf(piece->escape, "\\%c", letters[letter - escapes->lettered]);
  else if (length <= 1)
    sprintf(piece->escape, length == 0 ? "\\x%02x" : escapes->format, *c);
  else if (length == 3)
    strcpy(piece->escape, c[2] == 0xa8 ? "\\u2028" : "\\u2029");
  else
    sprintf(piece->escape, "\\u%04x", c[1]);
  piece->bytes = piece->escape;
  piece->length = strlen(piece->escape);
  piece->read = length == 0 ? 1 : length;
}

static void
write_escaped(struct sink *sink, const char *text,
              const struct escapes *escapes)
{
  struct piece piece;
  for (; *text != '\0'; text += piece.read) {
    take_piece(&piece, text, escapes);
    sink_bytes(sink, piece.bytes, piece.length);
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
  struct piece piece;
  size_t room = size - 1;
  for (bool fits = true; fits && *text != '\0'; text += piece.read) {
    take_piece(&piece, text, &escapes);
    fits = piece.length <= room;
    if (!fits)
      piece.length =
          piece.bytes == text ? utf8_cut(text, piece.length, room) : 0;
    line = mempcpy(line, piece.bytes, piece.length);
    room -= piece.length;
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
