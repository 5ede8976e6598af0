/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* One pass, byte by byte; all that is written otherwise is known by its first
 * bytes. */

#include "export/xml_text.h"

#include <string.h>

void
xml_text(struct sink *sink, const char *text, size_t length)
{
  for (size_t i = 0; i < length; i++) {
    unsigned char c = (unsigned char)text[i];
    if (c == '<' || c == '>' || c == '&' || c == '"' || c == '\'') {
      sink_format(sink, "&#%d;", c);
    } else if (c < ' ' || c == 0x7f) {
      sink_format(sink, "\\x%02x", c);
    } else if (length - i >= 3 && memcmp(text + i, "\xef\xbf", 2) == 0 &&
               (unsigned char)text[i + 2] >= 0xbe) {
      sink_format(sink, "\\u%04x", 0xff40 + (unsigned char)text[i + 2]);
      i += 2;
    } else {
      sink_bytes(sink, text + i, 1);
    }
  }
}
