/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Straight to the sink. */

#include "export/lisp_text.h"

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

void
lisp_optional(struct sink *sink, const char *text)
{
  if (*text == '\0')
    sink_text(sink, "nil");
  else
    lisp_string(sink, text);
}

void
lisp_type(struct sink *sink, const struct profile *profile, uint32_t index)
{
  const struct profile_type *type = &profile->types[index];
  sink_text(sink, ":category ");
  lisp_string(sink, category_name(profile->language, type->category));
  sink_text(sink, " :type ");
  lisp_optional(sink, names_text(&profile->names, type->type));
  sink_text(sink, " :class ");
  lisp_optional(sink, names_text(&profile->names, type->class_name));
}
