/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* PEAK and TEMPORARY OBJECTS: by function, what was live when the program had
 * most bytes, and what did not live to see the next allocations.
 */

#include "analysis/grouping.h"
#include "report/flat_report.h"
#include "report/report.h"

#include <errno.h>

static const struct report_column peak_columns[] = {
    {{"%", 0, "peak", 0, false},
     .term = "% peak",
     .meaning = "share of the bytes that were live when most were"},
    {{NULL, 0, "bytes", 2, false},
     .term = "bytes",
     .meaning = "of these, what the function itself allocated"},
    {{NULL, 0, "objects", 2, false},
     .term = "objects",
     .meaning = "in so many objects"},
    {{"self", 0, "+desc", 2, false},
     .term = "self+desc",
     .meaning = "share that the function and all below it allocated"},
    {{NULL, 0, "name", 2, true}, .term = "name", .meaning = "the function"},
};

static const struct report_column temporary_columns[] = {
    {{NULL, 0, "temporary", 0, false},
     .term = "temporary %",
     .meaning = "objects that were freed before the next allocations, and "
                "their share of all such objects"},
    SHARE_COLUMN,
    {{NULL, 0, "allocs", 2, false},
     .term = "allocs",
     .meaning = "all that the function itself allocated"},
    {{"% of", 0, "these", 2, false},
     .term = "% of these",
     .meaning = "how many of them were temporary"},
    {{NULL, 0, "name", 2, true}, .term = "name", .meaning = "the function"},
};

static void
add_peak_row(const struct reduction *reduction, const void *context,
             struct text_table *table, const struct ranking_row *row)
{
  const struct graph_node *node =
      row == NULL ? NULL : &reduction->graph.nodes[row->item];
  const struct figures *total = &reduction->selection.total;
  const struct figures *self = node == NULL ? total : &node->self;
  const struct figures *all = node == NULL ? total : &node->inclusive;
  (void)context;
  text_table_share(table, self->peak_bytes, total->peak_bytes);
  text_table_number(table, self->peak_bytes);
  text_table_number(table, self->peak_allocs);
  text_table_share(table, all->peak_bytes, total->peak_bytes);
  text_table_name(table, node == NULL ? "<TOTAL>" : node->name);
}

static void
add_temporary_row(const struct reduction *reduction, const void *context,
                  struct text_table *table, const struct ranking_row *row)
{
  const struct graph_node *node =
      row == NULL ? NULL : &reduction->graph.nodes[row->item];
  const struct figures *total = &reduction->selection.total;
  const struct figures *self = node == NULL ? total : &node->self;
  (void)context;
  text_table_number(table, self->temporary_allocs);
  text_table_share(table, self->temporary_allocs, total->temporary_allocs);
  text_table_number(table, self->allocs);
  text_table_share(table, self->temporary_allocs, self->allocs);
  text_table_name(table, node == NULL ? "<TOTAL>" : node->name);
}

/* Ranks functions by bytes at the peak, or by temporary objects. */
static bool
rank_functions(const struct reduction *reduction, struct ranking *ranking,
               const struct figures *total, bool temporary)
{
  const struct call_graph *graph = &reduction->graph;
  for (size_t i = 0; i < graph->node_count; i++) {
    const struct graph_node *node = &graph->nodes[i];
    const struct figures *self = &node->self;
    if (temporary ? self->temporary_allocs == 0
                  : self->peak_bytes == 0 && self->peak_allocs == 0)
      continue;
    struct ranking_row row = ranking_row_of(self, node->name, i);
    row.bytes = temporary ? self->temporary_allocs : self->peak_bytes;
    row.allocs = temporary ? self->temporary_allocs : self->peak_allocs;
    row.calls = node->calls;
    row.inclusive_bytes = node->inclusive.peak_bytes;
    if (!ranking_add(ranking, row))
      return false;
  }
  enum sort_key sort = reduction->options->sort;
  if (sort == SORT_DEFAULT)
    sort = temporary ? SORT_TEMPORARY : SORT_PEAK;
  ranking_sort(ranking, sort);
  ranking_cut(ranking, total, reduction->options);
  return true;
}

static void
write_report(struct flat_report report, const struct reduction *reduction,
             const struct figures *total, bool temporary, struct sink *sink)
{
  struct ranking ranking;
  report.rows = granularity_noun(reduction->options->by, true);
  report.total = total;
  ranking_init(&ranking);
  if (!rank_functions(reduction, &ranking, total, temporary))
    sink_fail(sink, ENOMEM);
  flat_report_write(&report, reduction, &ranking, sink);
  ranking_release(&ranking);
}

/* Writes TITLE, and that the profile knows nothing of it. */
static void
write_nothing(const char *title, struct sink *sink)
{
  report_heading(sink, title);
  sink_text(sink, "This profile does not say.\n");
}

void
report_peak(const struct reduction *reduction, struct sink *sink)
{
  const struct figures *sum = &reduction->selection.total;
  const struct figures total = {.bytes = sum->peak_bytes,
                                .allocs = sum->peak_allocs,
                                .kept_bytes = sum->kept_bytes,
                                .peak_bytes = sum->peak_bytes,
                                .temporary_allocs = sum->temporary_allocs};
  const struct flat_report report = {
      .title = "PEAK",
      .objects = "objects",
      .columns = peak_columns,
      .column_count = sizeof peak_columns / sizeof peak_columns[0],
      .add_row = add_peak_row,
  };
  if (reduction_has(reduction, MEASURE_PEAK_BYTES))
    write_report(report, reduction, &total, false, sink);
  else
    write_nothing(report.title, sink);
}

void
report_temporary(const struct reduction *reduction, struct sink *sink)
{
  const struct figures *sum = &reduction->selection.total;
  /* Nobody counts the bytes of temporary objects: rows weigh as many. */
  const struct figures total = {.bytes = sum->temporary_allocs,
                                .allocs = sum->temporary_allocs,
                                .kept_bytes = sum->kept_bytes,
                                .peak_bytes = sum->peak_bytes,
                                .temporary_allocs = sum->temporary_allocs};
  const struct flat_report report = {
      .title = "TEMPORARY OBJECTS",
      .objects = "temporary objects",
      .weightless = true,
      .columns = temporary_columns,
      .column_count = sizeof temporary_columns / sizeof temporary_columns[0],
      .add_row = add_temporary_row,
  };
  if (reduction_has(reduction, MEASURE_TEMPORARY_ALLOCS))
    write_report(report, reduction, &total, true, sink);
  else
    write_nothing(report.title, sink);
}
