/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* A table of rows of one kind, below a row for the total: what DIRECT
 * ALLOCATION, TYPES, ALLOCATION BINS, MEMORY LEAKS, PHASES and THREADS have
 * in common.
 */

#ifndef MPROF_FLAT_REPORT_H
#define MPROF_FLAT_REPORT_H

#include "report/columns.h"
#include "report/ranking.h"

struct flat_report {
  const char *title;
  const char *rows; /* what the note on rows left out calls them */
  const struct report_column *columns;
  size_t column_count;
  /* Adds the cells of ROW, or of the total when it is NULL. */
  void (*add_row)(const struct reduction *reduction, const void *context,
                  struct text_table *table, const struct ranking_row *row);
  const void *context;         /* for add_row */
  const struct figures *total; /* that rows are weighed against; NULL: that of
                                  the selection */
  const char *objects;         /* what rows have; NULL: allocations */
  bool weightless;             /* nobody counts the bytes of these */
  bool kept; /* the table is about bytes that were never freed */
};

/* Writes REPORT with the rows of RANKING, which is in order and cut, what was
 * left out, and the legend.  Rows of a tenth of all bytes, or of all bytes
 * kept, are heavy ones. */
void flat_report_write(const struct flat_report *report,
                       const struct reduction *reduction,
                       const struct ranking *ranking, struct sink *sink);

#endif
