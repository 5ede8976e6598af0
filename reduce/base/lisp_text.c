/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Straight to the sink. */

#include "base/lisp_text.h"

#include <string.h>

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
