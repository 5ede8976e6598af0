/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* REGIONS: what was allocated in each named region with those in it, and what
 * the monitor says of it.  A region stands above those in it, in the order of
 * their names; or all in the order that is asked for.
 */

#include "report/flat_report.h"
#include "report/report.h"

#include <errno.h>
#include <inttypes.h>
#include <time.h>

static const struct report_column columns[] = {
    {{NULL, 0, "entered", 0, false},
     .term = "entered",
     .meaning = "how often, by all threads"},
    {{NULL, 0, "seconds", 2, false},
     .term = "seconds",
     .meaning = "spent in it, threads added up"},
    {{NULL, 0, "allocs", 2, false},
     .term = "allocs %",
     .meaning = "objects allocated in it and in the regions in it, and their "
                "share of all"},
    SHARE_COLUMN,
    {{NULL, 0, "bytes", 2, false},
     .term = "bytes %",
     .meaning = "their bytes, and the share of all bytes"},
    SHARE_COLUMN,
    {{NULL, 0, "held", 2, false},
     .use = USE_KEPT,
     .term = "held",
     .meaning = "bytes of these that were live when it was left last"},
    {{NULL, 0, "first", 2, true},
     .term = "first",
     .meaning = "when it was entered first, in UTC"},
    {{NULL, 0, "last", 2, true},
     .term = "last",
     .meaning = "when it was left last, in UTC"},
    {{NULL, 0, "region", 2, true},
     .term = "region",
     .meaning = "its name, behind those of the regions around it"},
};

bool
report_has_regions(const struct reduction *reduction)
{
  return reduction->regions.count > 0;
}

static bool
rank_regions(const struct reduction *reduction, struct ranking *ranking)
{
  const struct region_figures *regions = &reduction->regions;
  bool good = true;
  for (size_t i = 0; good && i < regions->count; i++) {
    const struct region_row *region = &regions->rows[i];
    struct ranking_row row =
        ranking_row_of(&region->figures, region->path, i);
    row.rank = i;
    good = ranking_add(ranking, row);
  }
  ranking_arrange(ranking, &reduction->selection.total, reduction->options);
  if (reduction->options->sort == SORT_DEFAULT)
    ranking_by_rank(ranking);
  return good;
}

static void
add_time(struct text_table *table, uint64_t nanoseconds)
{
  char text[32];
  struct tm parts;
  time_t seconds = (time_t)(nanoseconds / 1000000000u);
  if (nanoseconds == 0 || gmtime_r(&seconds, &parts) == NULL) {
    text_table_skip(table, 1);
    return;
  }
  strftime(text, sizeof text, "%Y-%m-%d %H:%M:%S", &parts);
  text_table_cell(table, "%s.%03u", text,
                  (unsigned)(nanoseconds / 1000000u % 1000u));
}

static void
add_row(const struct reduction *reduction, const void *context,
        struct text_table *table, const struct ranking_row *row)
{
  const struct figures *total = &reduction->selection.total;
  (void)context;
  if (row == NULL) {
    text_table_skip(table, 2);
    add_share_cells(reduction, table, total, total);
    text_table_skip(table, column_used(reduction, USE_KEPT) ? 3 : 2);
    text_table_name(table, "<TOTAL>");
    return;
  }
  const struct region_row *region = &reduction->regions.rows[row->item];
  text_table_number(table, region->entered);
  text_table_cell(table, "%" PRIu64 ".%03u", region->spent / 1000000000u,
                  (unsigned)(region->spent / 1000000u % 1000u));
  add_share_cells(reduction, table, &region->figures, total);
  if (column_used(reduction, USE_KEPT))
    text_table_number(table, region->held);
  add_time(table, region->first);
  add_time(table, region->last);
  text_table_name(table, region->path);
}

void
report_regions(const struct reduction *reduction, struct sink *sink)
{
  const struct flat_report report = {
      .title = "REGIONS",
      .rows = "regions",
      .columns = columns,
      .column_count = sizeof columns / sizeof columns[0],
      .add_row = add_row,
  };
  struct ranking ranking;
  if (!report_has_regions(reduction)) {
    report_heading(sink, report.title);
    sink_text(sink, "This profile has no regions.\n");
    return;
  }
  ranking_init(&ranking);
  if (!rank_regions(reduction, &ranking))
    sink_fail(sink, ENOMEM);
  flat_report_write(&report, reduction, &ranking, sink);
  ranking_release(&ranking);
}
