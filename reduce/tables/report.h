/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The tables of a report, and what stands around them: headings, legends and
 * paragraphs, which are broken into lines.
 */

#pragma once

#include "analysis/view.h"
#include "base/sink.h"

/* Writes a whole report: what was over the budget, a line on the profile, and
 * the tables that the options ask for. */
void report_write(const struct view *view, struct sink *sink);

/* Writes the lines above all tables: what the profile is of, and how much.
 * Says that it is empty, and returns false, if it is. */
bool report_summary(const struct view *view, struct sink *sink);

/* Says what is counted, when that is not what was allocated. */
void report_counted(const struct view *view, struct sink *sink);

/* Writes a line on what of a Lisp program was alive, and as of which
 * collection; nothing where the profile does not say it. */
void report_live(const struct view *view, struct sink *sink);

/* Writes lines on what the files do not say; nothing for those of mprof. */
void report_gaps(const struct profile *profile, struct sink *sink);

/* Returns whether all files of the profile count objects. */
bool report_knows_allocs(const struct view *view);

/* Returns COUNT with NOUN, which gets an "s" unless COUNT is 1. */
const char *report_count(uint64_t count, const char *noun);

/* Returns whether some function that shows has calls that are not known. */
bool report_lacks_calls(const struct view *view);

/* Write the tables for which a description alone is not enough (table.h). */
void report_graph(const struct view *view, struct sink *sink);
void report_held(const struct view *view, struct sink *sink);
void report_reconciliation(const struct view *view, struct sink *sink);

/* Write what to change: the first pieces of advice, a line each; all of them,
 * in full; and the rules that they come from. */
void report_first_advice(const struct view *view, struct sink *sink);
void report_advice(const struct view *view, struct sink *sink);
void report_advice_rules(struct sink *sink);

/* Write legends: that of a call graph; of one whose functions are holders; of
 * the table HELD with such a graph. */
void report_graph_legend(const struct view *view, struct sink *sink);
void report_holders_legend(const struct view *view, struct sink *sink);
void report_held_legend(const struct view *view, struct sink *sink);

/* Writes the legends of all tables, for any profile. */
void report_legends(struct sink *sink);

/* Writes the first lines of a report: what could not be attributed.  Writes
 * nothing if all could. */
void report_unattributed(const struct view *view, struct sink *sink);

/* Writes the heading of a table; TEXT as a paragraph of its own, or in lines
 * that begin with INDENT blanks. */
void report_heading(struct sink *sink, const char *title);
void report_paragraph(struct sink *sink, const char *text);
void report_indented(struct sink *sink, const char *text, size_t indent);

/* Writes a line of a legend, what TERM, a heading, stands for; or a paragraph
 * of it.  Neither writes anything when legends are not wanted.  VIEW is
 * NULL in a legend for any profile; see legend.c. */
void report_legend(const struct view *view, struct sink *sink,
                   const char *term, const char *text);
void report_legend_text(const struct view *view, struct sink *sink,
                        const char *text);
