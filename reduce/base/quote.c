/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Text goes through in runs of characters that need no escape. */

#include "base/quote.h"

#include <string.h>

/* What is escaped beside control characters and ends of lines, and how. */
struct escapes {
  const char *extra;    /* with the backslash, unless there are none */
  const char *lettered; /* those that become a backslash and a letter */
  const char *format;   /* of other ASCII characters */
};

/* How many bytes at TEXT can be written as they are. */
static size_t
plain_length(const unsigned char *text, const char *extra)
{
  size_t i = 0;
  for (; text[i] >= 0x20 && text[i] != 0x7f; i++)
    if ((*extra != '\0' &&
         (text[i] == '\\' || strchr(extra, text[i]) != NULL)) ||
        (text[i] == 0xc2 && text[i + 1] >= 0x80 && text[i + 1] < 0xa0) ||
        (text[i] == 0xe2 && text[i + 1] == 0x80 &&
         (text[i + 2] == 0xa8 || text[i + 2] == 0xa9)))
      break;
  return i;
}

/* Writes the one character at TEXT, which needs an escape; gives back its
 * length in bytes. */
static size_t
escape_character(struct sink *sink, const unsigned char *text,
                 const struct escapes *escapes)
{
  static const char letters[] = "ntr\\\"";
  const char *found = strchr(escapes->lettered, text[0]);
  if (found != NULL) {
    const char escape[] = {'\\', letters[found - escapes->lettered]};
    sink_bytes(sink, escape, sizeof escape);
    return 1;
  }
  if (text[0] < 0x80) {
    sink_format(sink, escapes->format, text[0]);
    return 1;
  }
  if (text[0] == 0xe2) {
    sink_text(sink, text[2] == 0xa8 ? "\\u2028" : "\\u2029");
    return 3;
  }
  sink_format(sink, "\\u%04x", text[1]);
  return 2;
}

static void
write_escaped(struct sink *sink, const char *text,
              const struct escapes *escapes)
{
  while (*text != '\0') {
    size_t plain = plain_length((const unsigned char *)text, escapes->extra);
    sink_bytes(sink, text, plain);
    text += plain;
    if (*text != '\0')
      text += escape_character(sink, (const unsigned char *)text, escapes);
  }
}

void
escape_name(struct sink *sink, const char *name, const char *extra)
{
  const struct escapes escapes = {extra, "\n\t\r\\", "\\x%02x"};
  write_escaped(sink, name, &escapes);
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
json_key(struct sink *sink, bool first, const char *key)
{
  sink_format(sink, "%s\"%s\":", first ? "" : ",", key);
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
