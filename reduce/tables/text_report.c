/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Descriptions as text: a row for the total, rows below it, what was left
 * out, and the legend.  Columns are chosen by what the profile knows; then
 * cells, row by row.
 *
 * A table of groups has no total: a line for each group, then one for each
 * member, a rule between groups.  Within a group no more than a few lines
 * show, those that have the smallest share of the group that options ask for;
 * one more stands for the rest.  Without a smallest share (--verbose) all
 * show.
 */

#include "tables/table.h"

#include "analysis/frames.h"
#include "tables/report.h"

#include <stdio.h>
#include <string.h>

enum { FEW = 5 }; /* members of a group, unless --verbose */
enum { HEAVY_SHARE = SHARE_WHOLE / 10 }; /* of a row to look at first */

bool
column_used(const struct view *view, enum column_use use)
{
  bool lisp = view->profile->language == LANGUAGE_LISP;
  bool calls = view->selection.counts_calls;
  bool averages = view->options->width >= WIDE_LINE;
  switch (use) {
  case USE_KEPT:
    return view_has(view, MEASURE_KEPT_BYTES) && !lisp;
  case USE_LOST:
  case USE_NOT_LOST:
    return (use == USE_LOST) ==
           profile_has(view->profile, MEASURE_LOST_BYTES);
  case USE_LIVE:
    return view_knows(view, MEASURE_KEPT_BYTES) && lisp;
  case USE_CALLS:
    return calls;
  case USE_AVERAGES:
    return averages;
  case USE_AVERAGES_OF_CALLS:
    return averages && calls && lisp;
  default:
    return true;
  }
}

struct column
column_weighed(const struct view *view, const struct column *column)
{
  static const char *const words[][2] = {
      {"mem", "allocs"}, {"% mem", "% allocs"}, {"bytes", "allocs"}};
  struct column made = *column;
  if (view_weight(view) == MEASURE_BYTES ||
      !(column->weighs || (column->measure == MEASURE_BYTES &&
                           (column->content == CONTENT_SHARE ||
                            column->content == CONTENT_CATEGORIES))))
    return made;
  made.weighs = true;
  made.measure = MEASURE_ALLOCS;
  for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
    if (strcmp(made.text.bottom, words[i][0]) == 0)
      made.text.bottom = words[i][1];
  return made;
}

/* Returns whether the text has COLUMN. */
static bool
shows(const struct view *view, const struct column *column)
{
  return column->text.bottom != NULL && column_used(view, column->use);
}

void
text_columns_begin(struct text_table *text, const struct view *view,
                   const struct column *list, size_t count)
{
  enum language language = view->profile->language;
  text_table_init(text, NULL, 0);
  text->human = view->options->width >= WIDE_LINE;
  for (size_t column = 0; column < count; column++) {
    const struct column c = column_weighed(view, &list[column]);
    if (!shows(view, &c))
      continue;
    if (c.content != CONTENT_CATEGORIES)
      text_table_column(text, c.text, c.spare);
    else
      for (unsigned i = 0; i < CATEGORY_COUNT; i++)
        text_table_column(
            text,
            (struct text_column){.top = i == 0 ? c.text.bottom : NULL,
                                 .top_span = i == 0 ? CATEGORY_COUNT : 1,
                                 .bottom = category_rows[language][i].letter,
                                 .gap = i == 0 ? 2 : 1},
            c.spare);
    if (c.share)
      text_table_column(text, (struct text_column){.bottom = "%", .gap = 1},
                        c.spare);
  }
}

/* Adds the shares by category of COLUMN: of WHOLE, or of what the table says,
 * which may be nothing. */
static void
add_categories(const struct listing *listing, struct text_table *text,
               const struct ranking_row *row, const struct figures *whole,
               const struct column *column)
{
  const uint64_t all =
      column->id != 0 ? listing->table->fraction(listing, row, column->id)
                      : whole->counts[column->measure];
  const uint64_t *parts = column->measure == MEASURE_KEPT_BYTES
                              ? row->figures->category_kept
                              : row->figures->by_category;
  for (unsigned i = 0; i < CATEGORY_COUNT; i++)
    if (all == (uint64_t)UNKNOWN_WHOLE)
      text_table_cell(text, "--");
    else
      text_table_share(text, parts[i], all);
}

/* Adds the cells of COLUMN, and its share.  Those of figures that ROW cannot
 * have are stars. */
static void
add_cells(const struct listing *listing, struct text_table *text,
          const struct ranking_row *row, const struct figures *whole,
          const struct column *column)
{
  const struct ranking_row all = {.figures = whole, .inclusive = whole};
  const bool categories = column->content == CONTENT_CATEGORIES;
  const bool share = column->share || column->content == CONTENT_SHARE;
  const bool figure = column->content == CONTENT_FIGURE;
  if ((column->of == OF_INCLUSIVE ? row->inclusive : row->figures) == NULL &&
      (categories || share || figure)) {
    for (int i = categories ? CATEGORY_COUNT : share + figure; i > 0; i--)
      text_table_cell(text, "*");
    return;
  }
  if (categories)
    add_categories(listing, text, row, whole, column);
  else if (row->item == (size_t)NO_ITEM && !column->sums &&
           (column->content == CONTENT_OWN ||
            column->content >= CONTENT_NUMBER))
    text_table_cell(text, "%s", column->total == NULL ? "" : column->total);
  else if (column->content != CONTENT_SHARE)
    listing_cell(listing, row, column,
                 &(struct writer){
                     .view = listing->view, .form = FORM_TEXT, .text = text});
  if (share)
    text_table_share(text, row_figure(row, column), row_figure(&all, column));
}

void
text_report_row(const struct listing *listing, struct text_table *text,
                const struct ranking_row *row, const struct figures *whole)
{
  const struct table *table = listing->table;
  for (size_t i = 0; i < table->column_count; i++) {
    const struct column column =
        column_weighed(listing->view, &table->columns[i]);
    if (shows(listing->view, &column))
      add_cells(listing, text, row, whole, &column);
  }
}

/* Adds the members of GROUP, which RANKING has. */
static void
add_members(const struct listing *listing, struct text_table *text,
            const struct ranking_row *group, struct ranking *ranking)
{
  struct view_options options = *listing->view->options;
  if (options.min_share > 0 && options.limit > FEW)
    options.limit = FEW;
  ranking_sort(ranking, options.sort);
  ranking_cut(ranking, group->figures, &options);
  text->indent = "  ";
  for (size_t i = 0; i < ranking->shown; i++)
    text_report_row(listing, text, &ranking->rows[i], group->figures);
  if (ranking->shown < ranking->count) {
    struct figures rest = {.allocs = ranking->left_out_allocs,
                           .bytes = ranking->left_out_bytes};
    const struct ranking_row row = {
        .figures = &rest,
        .name = pool_format("(%zu more)", ranking->count - ranking->shown)};
    text_report_row(listing, text, &row, group->figures);
  }
  text->indent = "";
}

static void
write_groups(const struct listing *listing, struct text_table *text)
{
  for (size_t i = 0; i < listing->ranking.shown; i++) {
    const struct ranking_row *group = &listing->ranking.rows[i];
    struct ranking members = {0};
    if (i > 0)
      text_table_mark(text, TEXT_RULE);
    text_table_mark(text, TEXT_STRONG);
    text_report_row(listing, text, group, &listing->view->selection.total);
    listing->table->members(listing, group, &members);
    add_members(listing, text, group, &members);
    pool_free(members.rows);
  }
}

static void
write_rows(const struct listing *listing, struct text_table *text)
{
  const struct ranking *ranking = &listing->ranking;
  struct ranking_row total = listing_total(listing);
  enum measure weight = sort_measure(listing->table->sort);
  if (weight == MEASURE_BYTES)
    weight = view_weight(listing->view);
  if (!listing->table->untotalled)
    text_report_row(listing, text, &total, total.figures);
  for (size_t i = 0; i < ranking->shown; i++) {
    const struct ranking_row *row = &ranking->rows[i];
    if (row->figures != NULL && row->figures->counts[weight] > 0 &&
        share_reached(row->figures->counts[weight],
                      total.figures->counts[weight], HEAVY_SHARE))
      text_table_mark(text, TEXT_HEAVY);
    text_report_row(listing, text, row, total.figures);
  }
}

void
text_report_rows(const struct listing *listing, struct sink *sink)
{
  struct text_table text;
  text_columns_begin(&text, listing->view, listing->table->columns,
                     listing->table->column_count);
  if (listing->table->members != NULL)
    write_groups(listing, &text);
  else
    write_rows(listing, &text);
  text_table_print(&text, sink);
}

void
text_report_write(const struct table *table, const struct view *view,
                  struct sink *sink)
{
  struct listing listing;
  const char *nothing = table->lacks != NULL ? table->lacks(view) : NULL;
  if (table->bytes != MEASURE_BYTES && !view_has(view, table->bytes))
    nothing = "This profile does not record these figures.";
  report_heading(sink, table->title);
  if (nothing != NULL) {
    report_indented(sink, nothing, 0);
    return;
  }
  listing_init(&listing, table, view, FORM_TEXT);
  text_report_rows(&listing, sink);
  ranking_note(&listing.ranking, view,
               table->rows != NULL
                   ? table->rows
                   : granularity_noun(view->options->by, true),
               table->objects == NULL ? "allocations" : table->objects, sink);
  if (table->note != NULL)
    table->note(&listing, sink);
  text_columns_explain(view, table->columns, table->column_count, sink);
  if (table->legend != NULL)
    table->legend(&listing, sink);
}
