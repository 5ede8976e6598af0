/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* TYPES: what kinds of object were allocated.  By bytes unless another order
 * is asked for.
 */

#include "report/flat_report.h"
#include "report/report.h"

#include <errno.h>

static const struct report_column columns[] = {
    {{NULL, 0, "allocs", 0, false},
     .term = "allocs %",
     .meaning = "objects of this type, and their share of all objects"},
    SHARE_COLUMN,
    {{NULL, 0, "bytes", 2, false},
     .term = "bytes %",
     .meaning = "their bytes with their bodies, and the share of all bytes"},
    SHARE_COLUMN,
    {{NULL, 0, "category", 2, true},
     .term = "category",
     .meaning = "the column of the other tables that the type counts in"},
    {{NULL, 0, "type", 2, true},
     .term = "type",
     .meaning = "the Lisp type, or what the program calls the type"},
    {{NULL, 0, "class", 2, true},
     .term = "class",
     .meaning = "the class, for instances and structures"},
};

static void
add_row(const struct reduction *reduction, const void *context,
        struct text_table *table, const struct ranking_row *row)
{
  const struct profile *profile = reduction->profile;
  const struct figures *total = &reduction->selection.total;
  (void)context;
  if (row == NULL) {
    add_share_cells(reduction, table, total, total);
    text_table_skip(table, 1);
    text_table_cell(table, "<TOTAL>");
    text_table_skip(table, 1);
    return;
  }
  const struct profile_type *type = &profile->types[row->item];
  add_share_cells(reduction, table, &reduction->tally.types[row->item],
                  total);
  text_table_name(table, category_name(profile->language, type->category));
  text_table_name(table, names_text(&profile->names, type->type));
  text_table_name(table, names_text(&profile->names, type->class_name));
}

static bool
rank_types(const struct reduction *reduction, struct ranking *ranking)
{
  const struct profile *profile = reduction->profile;
  for (size_t i = 0; i < profile->type_count; i++) {
    const struct figures *figures = &reduction->tally.types[i];
    const struct profile_type *type = &profile->types[i];
    if (figures->bytes == 0 && figures->allocs == 0)
      continue;
    struct ranking_row row =
        ranking_row_of(figures, tally_type_name(profile, type), i);
    row.rank = type->category;
    if (!ranking_add(ranking, row))
      return false;
  }
  ranking_arrange(ranking, &reduction->selection.total, reduction->options);
  return true;
}

void
report_types(const struct reduction *reduction, struct sink *sink)
{
  static const struct flat_report report = {
      .title = "TYPES",
      .rows = "types",
      .columns = columns,
      .column_count = sizeof columns / sizeof columns[0],
      .add_row = add_row,
  };
  struct ranking ranking;
  ranking_init(&ranking);
  if (!rank_types(reduction, &ranking))
    sink_fail(sink, ENOMEM);
  flat_report_write(&report, reduction, &ranking, sink);
  ranking_release(&ranking);
}
