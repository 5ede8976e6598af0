/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Lines are broken at blanks; a word that is longer than a line stays
 * whole. */

#include "tables/report.h"

#include <string.h>

enum { LINE_WIDTH = 78, TERM_WIDTH = 15 };

void
report_heading(struct sink *sink, const char *title)
{
  sink_text(sink, "\n");
  sink_style(sink, STYLE_STRONG);
  sink_text(sink, title);
  sink_style(sink, STYLE_PLAIN);
  sink_text(sink, "\n\n");
}

/* Writes TEXT in lines of at most LINE_WIDTH, INDENT blanks before each line
 * but the first, which starts at INDENT already. */
static void
write_wrapped(struct sink *sink, const char *text, size_t indent)
{
  size_t column = indent;
  while (*text != '\0') {
    size_t length = strcspn(text, " ");
    if (column > indent && column + 1 + length > LINE_WIDTH) {
      sink_text(sink, "\n");
      sink_repeat(sink, ' ', indent);
      column = indent;
    } else if (column > indent) {
      sink_text(sink, " ");
      column++;
    }
    sink_bytes(sink, text, length);
    column += length;
    text += length;
    text += *text == ' ';
  }
  sink_text(sink, "\n");
}

void
report_paragraph(struct sink *sink, const char *text)
{
  sink_text(sink, "\n  ");
  write_wrapped(sink, text, 2);
}

void
report_legend(const struct reduction *reduction, struct sink *sink,
              const char *term, const char *text)
{
  if (!reduction->options->legend)
    return;
  sink_format(sink, "  %-12s ", term);
  write_wrapped(sink, text, TERM_WIDTH);
}

void
report_legend_text(const struct reduction *reduction, struct sink *sink,
                   const char *text)
{
  if (reduction->options->legend)
    report_paragraph(sink, text);
}
