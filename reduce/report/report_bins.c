/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* ALLOCATION BINS: sizes from 0 to 1024 bytes one by one, larger objects
 * together, bodies that grew by themselves.  By size unless another order is
 * asked for; when there may only be so many, those with most bytes.
 */

#include "base/array.h"
#include "report/flat_report.h"
#include "report/report.h"
#include "report/size_types.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { NAMES_SHOWN = 6 }; /* types named in a row, unless -verbose */

static const struct report_column columns[] = {
    {{NULL, 0, "size", 0, false},
     .term = "size",
     .meaning = "bytes of one object with its body; \"> 1024\": larger "
                "objects together; \"grown\": bodies that grew later, which "
                "are no objects of their own"},
    {{NULL, 0, "allocs", 2, false},
     .term = "allocs %",
     .meaning = "objects of this size, and their share of all objects"},
    SHARE_COLUMN,
    {{NULL, 0, "bytes", 2, false},
     .term = "bytes %",
     .meaning = "their bytes, and the share of all bytes"},
    SHARE_COLUMN,
    {{NULL, 0, "frees", 2, false},
     .use = USE_KEPT,
     .term = "frees",
     .meaning = "how many of them were freed"},
    {{NULL, 0, "kept", 2, false},
     .use = USE_KEPT,
     .term = "kept %",
     .meaning =
         "bytes that were never freed, and the share of all such bytes"},
    {{NULL, 0, "%", 1, false}, .use = USE_KEPT},
    {{NULL, 0, "types", 2, true},
     .term = "types",
     .meaning = "what has this size, most bytes first"},
};

static void
add_figures(const struct reduction *reduction, struct text_table *table,
            const struct figures *figures)
{
  const struct figures *total = &reduction->selection.total;
  add_share_cells(reduction, table, figures, total);
  if (!column_used(reduction, USE_KEPT))
    return;
  report_number(table, report_knows_frees(reduction),
                freed(figures->allocs, figures->kept_allocs));
  text_table_number(table, figures->kept_bytes);
  text_table_share(table, figures->kept_bytes, total->kept_bytes);
}

/* The names of the types in BIN, those with most bytes first. */
static void
add_types(const struct reduction *reduction, struct text_table *table,
          const struct size_types *types, const struct tally_bin *bin)
{
  const struct profile *profile = reduction->profile;
  size_t most = reduction->options->min_share == 0 ? SIZE_MAX : NAMES_SHOWN;
  struct sink_string text = {0};
  struct sink sink;
  sink_init(&sink, sink_write_string, &text);
  const char *separator = "";
  for (size_t i = 0; i < bin->part_count; i++) {
    const struct tally_part *part =
        &reduction->tally.parts[bin->first_part + i];
    if (i == most) {
      sink_format(&sink, "%sand %zu more", separator, bin->part_count - most);
      break;
    }
    const char *name = tally_type_name(profile, &profile->types[part->type]);
    if (*name != '\0') {
      sink_format(&sink, "%s%s", separator, name);
      separator = ", ";
    }
  }
  if (*separator == '\0' && bin->kind == BIN_SIZE)
    size_types_write(types, bin->size, most, &sink);
  if (!sink_flush(&sink))
    table->failed = true;
  text_table_name(table, text.text == NULL ? "" : text.text);
  free(text.text);
}

const char *
report_bin_kind(enum bin_kind kind)
{
  static const char *const kinds[] = {[BIN_SIZE] = "",
                                      [BIN_LARGE] = "> 1024",
                                      [BIN_GROWTH] = "grown",
                                      [BIN_UNKNOWN] = "unknown"};
  return kinds[kind];
}

static void
add_row(const struct reduction *reduction, const void *context,
        struct text_table *table, const struct ranking_row *row)
{
  const struct size_types *types = context;
  if (row == NULL) {
    text_table_cell(table, "all");
    add_figures(reduction, table, &reduction->selection.total);
    text_table_cell(table, "<TOTAL>");
    return;
  }
  const struct tally_bin *bin = &reduction->tally.bins[row->item];
  if (bin->kind == BIN_SIZE)
    text_table_number(table, bin->size);
  else
    text_table_cell(table, "%s", report_bin_kind(bin->kind));
  add_figures(reduction, table, &bin->figures);
  add_types(reduction, table, types, bin);
}

static bool
rank_bins(const struct reduction *reduction, struct ranking *ranking)
{
  const struct tally *tally = &reduction->tally;
  for (size_t i = 0; i < tally->bin_count; i++) {
    const struct figures *figures = &tally->bins[i].figures;
    struct ranking_row row = ranking_row_of(figures, "", i);
    row.rank = i;
    if (!ranking_add(ranking, row))
      return false;
  }
  ranking_arrange(ranking, &reduction->selection.total, reduction->options);
  if (reduction->options->sort == SORT_DEFAULT ||
      reduction->options->sort == SORT_NAME)
    ranking_by_rank(ranking);
  return true;
}

void
report_bins(const struct reduction *reduction, struct sink *sink)
{
  struct size_types types;
  const struct flat_report report = {
      .title = "ALLOCATION BINS",
      .rows = "sizes",
      .columns = columns,
      .column_count = sizeof columns / sizeof columns[0],
      .add_row = add_row,
      .context = &types,
  };
  struct ranking ranking;
  ranking_init(&ranking);
  if (!size_types_init(&types, reduction->profile) ||
      !rank_bins(reduction, &ranking))
    sink_fail(sink, ENOMEM);
  flat_report_write(&report, reduction, &ranking, sink);
  ranking_release(&ranking);
  size_types_release(&types);
}
