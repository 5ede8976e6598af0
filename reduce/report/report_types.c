/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* TYPES: what kinds of object were allocated.  By bytes unless another order
 * is asked for.
 */

#include "report/ranking.h"
#include "report/report.h"
#include "report/text_table.h"

#include <errno.h>

static const struct text_column columns[] = {
    {NULL, 0, "allocs", 0, false},  {NULL, 0, "%", 1, false},
    {NULL, 0, "bytes", 2, false},   {NULL, 0, "%", 1, false},
    {NULL, 0, "category", 2, true}, {NULL, 0, "type", 2, true},
    {NULL, 0, "class", 2, true},
};

static void
add_row(const struct reduction *reduction, struct text_table *table,
        const struct figures *figures, const char *category, const char *type,
        const char *class_name)
{
  const struct figures *total = &reduction->selection.total;
  text_table_number(table, figures->allocs);
  text_table_share(table, figures->allocs, total->allocs);
  text_table_number(table, figures->bytes);
  text_table_share(table, figures->bytes, total->bytes);
  text_table_name(table, category);
  text_table_name(table, type);
  text_table_name(table, class_name);
}

static bool
rank_types(const struct reduction *reduction, struct ranking *ranking)
{
  const struct profile *profile = &reduction->profile;
  const struct options *options = reduction->options;
  for (size_t i = 0; i < profile->type_count; i++) {
    const struct figures *figures = &reduction->tally.types[i];
    const struct profile_type *type = &profile->types[i];
    if (figures->bytes == 0 && figures->allocs == 0)
      continue;
    if (!ranking_add(ranking, (struct ranking_row){
                                  .bytes = figures->bytes,
                                  .allocs = figures->allocs,
                                  .rank = type->category,
                                  .name = tally_type_name(profile, type),
                                  .item = i}))
      return false;
  }
  ranking_sort(ranking,
               options->sort == SORT_DEFAULT ? SORT_BYTES : options->sort);
  ranking_cut(ranking, &reduction->selection.total, options);
  return true;
}

void
report_types(const struct reduction *reduction, struct sink *sink)
{
  const struct profile *profile = &reduction->profile;
  struct ranking ranking;
  struct text_table table;
  ranking_init(&ranking);
  text_table_init(&table, columns, sizeof columns / sizeof columns[0]);
  if (!rank_types(reduction, &ranking))
    sink_fail(sink, ENOMEM);
  add_row(reduction, &table, &reduction->selection.total, "", "<TOTAL>", "");
  for (size_t i = 0; i < ranking.shown; i++) {
    const struct profile_type *type = &profile->types[ranking.rows[i].item];
    text_table_weigh(&table, ranking.rows[i].bytes,
                     reduction->selection.total.bytes);
    add_row(reduction, &table, &reduction->tally.types[ranking.rows[i].item],
            category_name(profile->language, type->category),
            names_text(&profile->names, type->type),
            names_text(&profile->names, type->class_name));
  }
  report_heading(sink, "TYPES");
  text_table_print(&table, sink);
  ranking_note(&ranking, reduction->options, "types", sink);
  report_share_legend(reduction, sink);
  report_legend(reduction, sink, "allocs %",
                "objects of this type, and their share of all objects");
  report_legend(reduction, sink, "bytes %",
                "their bytes with their bodies, and the share of all bytes");
  report_legend(reduction, sink, "category",
                "the column of the other tables that the type counts in");
  report_legend(reduction, sink, "class",
                "the class, for instances and structures");
  text_table_release(&table);
  ranking_release(&ranking);
}
