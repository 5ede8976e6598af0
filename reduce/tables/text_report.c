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

/* Returns COLUMN, of bytes, as it is where objects are counted. */
static struct column
weighed(const struct column *column)
{
  static const char *const words[][2] = {
      {"mem", "allocs"}, {"% mem", "% allocs"}, {"bytes", "allocs"}};
  struct column made = *column;
  made.weighs = true;
  made.measure = MEASURE_ALLOCS;
  for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
    if (strcmp(made.text.bottom, words[i][0]) == 0)
      made.text.bottom = words[i][1];
  return made;
}

size_t
text_columns(const struct table *table, const struct view *view,
             struct column *shown)
{
  const bool weighs = view != NULL && view_weight(view) != MEASURE_BYTES;
  size_t count = 0;
  for (size_t i = 0; i < table->column_count; i++) {
    const struct column *c = &table->columns[i];
    const bool of_bytes =
        c->weighs ||
        (c->measure == MEASURE_BYTES &&
         (c->content == CONTENT_SHARE || c->content == CONTENT_CATEGORIES));
    if (c->text.bottom != NULL && (view == NULL || column_used(view, c->use)))
      shown[count++] = weighs && of_bytes ? weighed(c) : *c;
  }
  return count;
}

void
text_report_begin(struct listing *listing)
{
  const struct view *view = listing->view;
  struct text_table *lines = pool_alloc(sizeof *lines);
  text_table_init(lines, NULL, 0);
  lines->human = view->options->width >= WIDE_LINE;
  listing->lines = lines;
  listing->columns =
      pool_alloc(listing->table->column_count * sizeof *listing->columns);
  listing->column_count =
      text_columns(listing->table, view, listing->columns);
  for (size_t i = 0; i < listing->column_count; i++) {
    const struct column *c = &listing->columns[i];
    struct text_column part = {
        .top = c->text.bottom, .top_span = CATEGORY_COUNT, .gap = 2};
    if (c->content != CONTENT_CATEGORIES)
      text_table_column(lines, c->text, c->spare);
    for (unsigned k = 0;
         c->content == CONTENT_CATEGORIES && k < CATEGORY_COUNT; k++) {
      part.bottom = category_rows[view->profile->language][k].letter;
      text_table_column(lines, part, c->spare);
      part = (struct text_column){.gap = 1};
    }
    if (c->share)
      text_table_column(lines, (struct text_column){.bottom = "%", .gap = 1},
                        c->spare);
  }
}

/* Adds the shares by category of COLUMN: of WHOLE, or of what the table says,
 * which may be nothing. */
static void
add_categories(const struct listing *listing, const struct ranking_row *row,
               const struct figures *whole, const struct column *column)
{
  const uint64_t all =
      column->id != 0 ? listing->table->fraction(listing, row, column->id)
                      : whole->counts[column->measure];
  const uint64_t *parts = column->measure == MEASURE_KEPT_BYTES
                              ? row->figures->category_kept
                              : row->figures->by_category;
  for (unsigned i = 0; i < CATEGORY_COUNT; i++)
    if (all == (uint64_t)UNKNOWN_WHOLE)
      text_table_cell(listing->lines, "--");
    else
      text_table_share(listing->lines, parts[i], all);
}

/* Adds the cells of COLUMN, and its share.  Those of figures that ROW cannot
 * have are stars. */
static void
add_cells(const struct listing *listing, const struct ranking_row *row,
          const struct figures *whole, const struct column *column)
{
  const struct ranking_row all = {.figures = whole, .inclusive = whole};
  const bool categories = column->content == CONTENT_CATEGORIES;
  const bool share = column->share || column->content == CONTENT_SHARE;
  const bool figure = column->content == CONTENT_FIGURE;
  struct text_table *lines = listing->lines;
  struct writer out = {
      .view = listing->view, .form = FORM_TEXT, .text = lines};
  if ((column->of == OF_INCLUSIVE ? row->inclusive : row->figures) == NULL &&
      (categories || share || figure)) {
    for (int i = categories ? CATEGORY_COUNT : share + figure; i > 0; i--)
      text_table_cell(lines, "*");
    return;
  }
  if (categories)
    add_categories(listing, row, whole, column);
  else if (row->item == (size_t)NO_ITEM &&
           (column->content == CONTENT_OWN ||
            column->content >= CONTENT_NUMBER))
    text_table_cell(lines, "%s", column->total == NULL ? "" : column->total);
  else if (column->content != CONTENT_SHARE)
    listing_cell(listing, row, column, &out);
  if (share)
    text_table_share(lines, row_figure(row, column),
                     row_figure(&all, column));
}

void
text_report_row(const struct listing *listing, const struct ranking_row *row,
                const struct figures *whole)
{
  for (size_t i = 0; i < listing->column_count; i++)
    add_cells(listing, row, whole, &listing->columns[i]);
}

/* Adds the members of GROUP, which RANKING has. */
static void
add_members(const struct listing *listing, const struct ranking_row *group,
            struct ranking *ranking)
{
  struct view_options options = *listing->view->options;
  if (options.min_share > 0 && options.limit > FEW)
    options.limit = FEW;
  ranking_sort(ranking, options.sort);
  ranking_cut(ranking, group->figures, &options);
  listing->lines->indent = "  ";
  for (size_t i = 0; i < ranking->shown; i++)
    text_report_row(listing, &ranking->rows[i], group->figures);
  if (ranking->shown < ranking->count) {
    struct figures rest = {.allocs = ranking->left_out_allocs,
                           .bytes = ranking->left_out_bytes};
    const struct ranking_row row = {
        .figures = &rest,
        .name = pool_format("(%zu more)", ranking->count - ranking->shown)};
    text_report_row(listing, &row, group->figures);
  }
  listing->lines->indent = "";
}

static void
add_groups(const struct listing *listing)
{
  for (size_t i = 0; i < listing->ranking.shown; i++) {
    const struct ranking_row *group = &listing->ranking.rows[i];
    struct ranking members = {0};
    if (i > 0)
      text_table_mark(listing->lines, TEXT_RULE);
    text_table_mark(listing->lines, TEXT_STRONG);
    text_report_row(listing, group, &listing->view->selection.total);
    listing->table->members(listing, group, &members);
    add_members(listing, group, &members);
    pool_free(members.rows);
  }
}

static void
add_rows(const struct listing *listing)
{
  const struct ranking *ranking = &listing->ranking;
  const struct ranking_row total = listing_total(listing);
  enum measure weight = sort_measure(listing->table->sort);
  if (weight == MEASURE_BYTES)
    weight = view_weight(listing->view);
  if (!listing->table->untotalled)
    text_report_row(listing, &total, total.figures);
  for (size_t i = 0; i < ranking->shown; i++) {
    const struct ranking_row *row = &ranking->rows[i];
    if (row->figures != NULL && row->figures->counts[weight] > 0 &&
        share_reached(row->figures->counts[weight],
                      total.figures->counts[weight], HEAVY_SHARE))
      text_table_mark(listing->lines, TEXT_HEAVY);
    text_report_row(listing, row, total.figures);
  }
}

void
text_report_rows(const struct listing *listing, struct sink *sink)
{
  (listing->table->members != NULL ? add_groups : add_rows)(listing);
  text_table_print(listing->lines, sink);
}

void
text_report_write(const struct table *table, const struct view *view,
                  struct sink *sink)
{
  struct listing listing;
  const char *nothing = table->lacks != NULL ? table->lacks(view) : NULL;
  if (table->bytes != MEASURE_BYTES && !view_has(view, table->bytes))
    nothing = "This profile does not record these figures.";
  if (nothing != NULL && table->sort != SORT_DEFAULT &&
      (view_is_substituted(view) ||
       selection_is_of_time(&view->options->select)))
    nothing = "--value, --from, --to and --at leave these figures out.";
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
               table->object == NULL ? "allocation" : table->object, sink);
  if (table->note != NULL)
    table->note(&listing, sink);
  text_columns_explain(table, view, sink);
  if (table->legend != NULL)
    table->legend(&listing, sink);
}
