/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Descriptions as text: a row for the total, rows below it, what was left
 * out, and the legend.
 *
 * A table of groups has no total: a line for each group, then one for each
 * member, a rule between groups.  Within a group no more than a few lines
 * show, those that have the smallest share of the group that options ask for;
 * one more stands for the rest.  Without a smallest share (-verbose) all
 * show.
 */

#ifndef MPROF_TEXT_REPORT_H
#define MPROF_TEXT_REPORT_H

#include "tables/table.h"

/* Whether the profile of REDUCTION has columns of that USE. */
bool column_used(const struct reduction *reduction, enum column_use use);

/* Begins a text table with those of COUNT columns at LIST that the profile
 * has. */
void text_columns_begin(struct text_table *text,
                        const struct reduction *reduction,
                        const struct column *list, size_t count);

/* Writes the legend of LIST: a line on shares if there are any, one for each
 * term, one on the letters of categories, and one on unknown calls if there
 * are any; nothing when legends are not wanted. */
void text_columns_explain(const struct reduction *reduction,
                          const struct column *list, size_t count,
                          struct sink *sink);

/* Writes the total and the rows of VIEW that show. */
void text_report_rows(const struct view *view, struct sink *sink);

/* Writes TABLE with its heading. */
void text_report_write(const struct table *table,
                       const struct reduction *reduction, struct sink *sink);

/* What the letters of the categories mean. */
const char *report_categories_meaning(enum language language);

/* Adds four cells: the shares of WHOLE that BYTES are. */
void add_category_cells(struct text_table *table,
                        const uint64_t bytes[CATEGORY_COUNT], uint64_t whole);

#endif
