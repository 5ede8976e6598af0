/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Title, columns, rows, note, legend. */

#include "report/flat_report.h"

#include "report/report_text.h"

void
flat_report_write(const struct flat_report *report,
                  const struct reduction *reduction,
                  const struct ranking *ranking, struct sink *sink)
{
  struct report_columns columns;
  struct text_table table;
  const struct figures *total =
      report->total != NULL ? report->total : &reduction->selection.total;
  report_columns_choose(&columns, reduction, report->columns,
                        report->column_count);
  text_table_init(&table, columns.items, columns.count);
  table.spare = columns.spare;
  report->add_row(reduction, report->context, &table, NULL);
  for (size_t i = 0; i < ranking->shown; i++) {
    const struct ranking_row *row = &ranking->rows[i];
    if (report->kept)
      text_table_weigh(&table, row->kept_bytes, total->kept_bytes);
    else
      text_table_weigh(&table, row->bytes, total->bytes);
    report->add_row(reduction, report->context, &table, row);
  }
  report_heading(sink, report->title);
  text_table_print(&table, sink);
  ranking_note(ranking, reduction->options, report->rows,
               report->objects == NULL ? "allocations" : report->objects,
               !report->weightless, sink);
  report_columns_explain(reduction, report->columns, report->column_count,
                         sink);
  text_table_release(&table);
}
