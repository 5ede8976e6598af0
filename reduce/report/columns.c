/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Choosing and explaining columns. */

#include "report/columns.h"

#include "report/report_gaps.h"
#include "report/report_text.h"

#include <stdio.h>

bool
column_used(const struct reduction *reduction, enum column_use use)
{
  const struct profile *profile = reduction->profile;
  switch (use) {
  case USE_KEPT:
    return reduction_has(reduction, MEASURE_KEPT_BYTES) &&
           profile->language != LANGUAGE_LISP;
  case USE_CALLS:
    return reduction->selection.counts_calls;
  case USE_ALWAYS:
    break;
  }
  return true;
}

const char *
report_calls_meaning(const struct reduction *reduction)
{
  return reduction->profile->language == LANGUAGE_C
             ? "allocations with the function on their chain: each counts as "
               "one call of it"
             : "calls of the function that led to allocation, in it or "
               "below it";
}

void
report_columns_choose(struct report_columns *columns,
                      const struct reduction *reduction,
                      const struct report_column *list, size_t count)
{
  columns->count = 0;
  for (size_t i = 0; i < count; i++) {
    if (!column_used(reduction, list[i].use))
      continue;
    struct text_column *column = &columns->items[columns->count];
    columns->spare[columns->count++] = list[i].spare;
    *column = list[i].text;
    if (list[i].category != 0)
      column->bottom =
          category_letter(reduction->profile->language, list[i].category - 1);
  }
}

const char *
report_categories_meaning(enum language language)
{
  return language == LANGUAGE_LISP
             ? "categories: cons cells; floats; structures, instances, "
               "arrays and strings; other objects"
             : "categories: small objects (up to 32 bytes), medium (256), "
               "large (2048), extra large";
}

void
report_columns_explain(const struct reduction *reduction,
                       const struct report_column *list, size_t count,
                       struct sink *sink)
{
  bool categories = false;
  bool calls = false;
  if (!reduction->options->legend)
    return;
  sink_text(sink, "\n");
  report_legend(reduction, sink, "%",
                "whole per cents, rounded down: blank is nothing, \".\" less "
                "than 1 %, \"**\" all");
  for (size_t i = 0; i < count; i++) {
    if (!column_used(reduction, list[i].use))
      continue;
    if (list[i].term != NULL)
      report_legend(reduction, sink, list[i].term,
                    reduction->profile->language == LANGUAGE_C &&
                            list[i].meaning_in_c != NULL
                        ? list[i].meaning_in_c
                        : list[i].meaning);
    if (list[i].category != 0 && !categories)
      report_legend(reduction, sink,
                    reduction->profile->language == LANGUAGE_LISP ? "c f s o"
                                                                 : "s m l x",
                    report_categories_meaning(reduction->profile->language));
    categories = categories || list[i].category != 0;
    calls = calls || list[i].use == USE_CALLS;
  }
  if (calls && report_lacks_calls(reduction))
    report_explain_unknown_calls(reduction, sink);
}

void
add_category_cells(struct text_table *table,
                   const uint64_t bytes[CATEGORY_COUNT], uint64_t whole)
{
  for (unsigned i = 0; i < CATEGORY_COUNT; i++)
    text_table_share(table, bytes[i], whole);
}

void
add_share_cells(const struct reduction *reduction, struct text_table *table,
                const struct figures *figures, const struct figures *whole)
{
  report_number(table, report_knows_allocs(reduction), figures->allocs);
  text_table_share(table, figures->allocs, whole->allocs);
  text_table_number(table, figures->bytes);
  text_table_share(table, figures->bytes, whole->bytes);
}
