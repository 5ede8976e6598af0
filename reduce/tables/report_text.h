/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* What stands around the tables of a report: headings, legends and
 * paragraphs.
 */

#ifndef MPROF_REPORT_TEXT_H
#define MPROF_REPORT_TEXT_H

#include "base/sink.h"
#include "analysis/reduction.h"

/* Writes the heading of a table. */
void report_heading(struct sink *sink, const char *title);

/* Writes TEXT as a paragraph of its own, broken into lines. */
void report_paragraph(struct sink *sink, const char *text);

/* Writes a line of a legend: what TERM, a heading, stands for; the text is
 * broken into lines.  report_legend_text writes a paragraph.
 * Neither writes anything when legends are not wanted. */
void report_legend(const struct reduction *reduction, struct sink *sink,
                   const char *term, const char *text);
void report_legend_text(const struct reduction *reduction, struct sink *sink,
                        const char *text);

#endif
