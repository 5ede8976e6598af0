/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* ALLOCATION BINS: sizes from 0 to 1024 bytes one by one, larger objects
 * together, bodies that grew by themselves.  By size unless another order is
 * asked for; when there may only be so many, those with most bytes.
 */

#include "report/ranking.h"
#include "report/report.h"
#include "report/text_table.h"

#include <errno.h>
#include <stdlib.h>

enum { NAMES_SHOWN = 6 }; /* types named in a row, unless -verbose */

static const struct text_column lisp_columns[] = {
    {NULL, 0, "size", 0, false}, {NULL, 0, "allocs", 2, false},
    {NULL, 0, "%", 1, false},    {NULL, 0, "bytes", 2, false},
    {NULL, 0, "%", 1, false},    {NULL, 0, "types", 2, true},
};

static const struct text_column c_columns[] = {
    {NULL, 0, "size", 0, false}, {NULL, 0, "allocs", 2, false},
    {NULL, 0, "%", 1, false},    {NULL, 0, "bytes", 2, false},
    {NULL, 0, "%", 1, false},    {NULL, 0, "frees", 2, false},
    {NULL, 0, "kept", 2, false}, {NULL, 0, "%", 1, false},
    {NULL, 0, "types", 2, true},
};

static uint64_t
frees_of(const struct figures *figures)
{
  return figures->allocs > figures->kept_allocs
             ? figures->allocs - figures->kept_allocs
             : 0;
}

static void
add_figures(const struct reduction *reduction, struct text_table *table,
            const struct figures *figures)
{
  const struct figures *total = &reduction->selection.total;
  text_table_number(table, figures->allocs);
  text_table_share(table, figures->allocs, total->allocs);
  text_table_number(table, figures->bytes);
  text_table_share(table, figures->bytes, total->bytes);
  if (table->columns == c_columns) {
    text_table_number(table, frees_of(figures));
    text_table_number(table, figures->kept_bytes);
    text_table_share(table, figures->kept_bytes, total->kept_bytes);
  }
}

/* The names of the types in BIN, those with most bytes first. */
static void
add_types(const struct reduction *reduction, struct text_table *table,
          const struct tally_bin *bin)
{
  const struct profile *profile = &reduction->profile;
  size_t most =
      reduction->options->min_share == 0 ? bin->part_count : NAMES_SHOWN;
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
  if (!sink_flush(&sink))
    table->failed = true;
  text_table_name(table, text.text == NULL ? "" : text.text);
  free(text.text);
}

static bool
rank_bins(const struct reduction *reduction, struct ranking *ranking)
{
  const struct tally *tally = &reduction->tally;
  enum sort_key sort = reduction->options->sort;
  for (size_t i = 0; i < tally->bin_count; i++)
    if (!ranking_add(ranking, (struct ranking_row){
                                  .bytes = tally->bins[i].figures.bytes,
                                  .allocs = tally->bins[i].figures.allocs,
                                  .rank = i,
                                  .name = "",
                                  .item = i}))
      return false;
  ranking_sort(ranking, sort == SORT_DEFAULT ? SORT_BYTES : sort);
  ranking_cut(ranking, &reduction->selection.total, reduction->options);
  if (sort == SORT_DEFAULT)
    ranking_by_rank(ranking);
  return true;
}

static void
write_legend(const struct reduction *reduction, struct sink *sink)
{
  report_share_legend(reduction, sink);
  report_legend(reduction, sink, "size",
                "bytes of one object with its body; \"> 1024\": larger "
                "objects together; \"grown\": bodies that grew later, which "
                "are no objects of their own");
  report_legend(reduction, sink, "allocs %",
                "objects of this size, and their share of all objects");
  report_legend(reduction, sink, "bytes %",
                "their bytes, and the share of all bytes");
  if (reduction->profile.language != LANGUAGE_LISP) {
    report_legend(reduction, sink, "frees", "how many of them were freed");
    report_legend(
        reduction, sink, "kept %",
        "bytes that were never freed, and the share of all such bytes");
  }
  report_legend(reduction, sink, "types",
                "what has this size, most bytes first");
}

void
report_bins(const struct reduction *reduction, struct sink *sink)
{
  struct ranking ranking;
  struct text_table table;
  ranking_init(&ranking);
  if (reduction->profile.language == LANGUAGE_LISP)
    text_table_init(&table, lisp_columns,
                    sizeof lisp_columns / sizeof lisp_columns[0]);
  else
    text_table_init(&table, c_columns,
                    sizeof c_columns / sizeof c_columns[0]);
  if (!rank_bins(reduction, &ranking))
    sink_fail(sink, ENOMEM);
  text_table_cell(&table, "all");
  add_figures(reduction, &table, &reduction->selection.total);
  text_table_cell(&table, "<TOTAL>");
  for (size_t i = 0; i < ranking.shown; i++) {
    const struct tally_bin *bin =
        &reduction->tally.bins[ranking.rows[i].item];
    text_table_weigh(&table, bin->figures.bytes,
                     reduction->selection.total.bytes);
    if (bin->kind == BIN_SIZE)
      text_table_number(&table, bin->size);
    else
      text_table_cell(&table, bin->kind == BIN_LARGE ? "> 1024" : "grown");
    add_figures(reduction, &table, &bin->figures);
    add_types(reduction, &table, bin);
  }
  report_heading(sink, "ALLOCATION BINS");
  text_table_print(&table, sink);
  ranking_note(&ranking, reduction->options, "sizes", sink);
  write_legend(reduction, sink);
  text_table_release(&table);
  ranking_release(&ranking);
}
