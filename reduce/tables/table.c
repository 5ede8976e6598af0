/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Rows are asked for one by one, then put in order. */

#include "tables/table.h"

/* Puts the rows of a text in order, and leaves out small ones. */
static void
arrange_text(struct view *view)
{
  const struct table *table = view->table;
  const struct view_options *options = view->reduction->options;
  bool asked = options->sort != SORT_DEFAULT;
  ranking_sort(&view->ranking, asked ? options->sort : table->sort);
  if (!table->uncut)
    ranking_cut(&view->ranking, view_total(view).figures, options);
  if (table->in_place && !asked)
    ranking_by_rank(&view->ranking);
}

/* Whether the rows of VIEW stay in the order of their items. */
static bool
stays_in_place(const struct view *view)
{
  return view->form != FORM_TEXT && view->table->in_place;
}

static bool
make_row(const struct view *view, size_t item, struct ranking_row *row)
{
  *row = (struct ranking_row){.name = "", .item = item};
  if (!view->table->row(view, item, row))
    return false;
  if (!view->table->keeps_empty && !figures_any(row->figures))
    row->left_out = true;
  return true;
}

void
view_init(struct view *view, const struct table *table,
          const struct reduction *reduction, enum form form)
{
  struct ranking *ranking = &view->ranking;
  *view = (struct view){table, reduction, form, {0}, NULL, NULL};
  ranking->bytes = table->bytes;
  ranking->inclusive = form != FORM_TEXT;
  view->text = pool_alloc(sizeof *view->text);
  string_sink_init(view->text);
  view->context = pool_zeroed(1, table->context_bytes);
  if (table->init != NULL)
    table->init(view);
  if (stays_in_place(view))
    return;
  struct ranking_row row;
  for (size_t i = 0; make_row(view, i, &row); i++)
    if (!row.left_out)
      ranking_add(ranking, row);
  if (form == FORM_TEXT && table->arrange != NULL)
    table->arrange(view);
  else if (form == FORM_TEXT)
    arrange_text(view);
  else
    ranking_sort_by(ranking, reduction_measure(reduction));
}

bool
view_row(const struct view *view, size_t index, struct ranking_row *row)
{
  if (stays_in_place(view))
    return make_row(view, index, row);
  if (index < view->ranking.count)
    *row = view->ranking.rows[index];
  return index < view->ranking.count;
}

struct ranking_row
view_total(const struct view *view)
{
  const struct figures *total = view->table->total != NULL
                                    ? view->table->total(view)
                                    : &view->reduction->selection.total;
  return (struct ranking_row){.figures = total,
                              .inclusive = total,
                              .name = "<TOTAL>",
                              .item = (size_t)NO_ITEM};
}

/* What was freed of ALL when KEPT was not; 0 where a profile of another
 * program says that more was kept than allocated. */
static uint64_t
freed(uint64_t all, uint64_t kept)
{
  return all > kept ? all - kept : 0;
}

uint64_t
row_figure(const struct ranking_row *row, const struct column *column)
{
  const struct figures *figures =
      column->of == OF_INCLUSIVE ? row->inclusive : row->figures;
  uint64_t count = figures->counts[column->measure];
  if (column->of != OF_FREED)
    return count;
  return freed(count, column->measure == MEASURE_ALLOCS
                          ? figures->kept_allocs
                          : figures->kept_bytes);
}

/* Whether the profile says what COLUMN, of a measure, counts. */
static bool
figure_known(const struct reduction *reduction, const struct column *column)
{
  const struct profile_gaps *gaps = &reduction->profile->gaps;
  return (column->measure != MEASURE_ALLOCS || gaps->countless == 0) &&
         (column->of != OF_FREED || gaps->live + gaps->apart == 0);
}

bool
view_has_cxx_names(const struct view *view)
{
  return view->form == FORM_TEXT &&
         view->reduction->profile->language == LANGUAGE_C;
}

struct cell
view_cell(const struct view *view, const struct ranking_row *row,
          const struct column *column)
{
  const struct figures *figures =
      column->of == OF_INCLUSIVE ? row->inclusive : row->figures;
  switch (column->content) {
  case CONTENT_NAME:
    if (!view_has_cxx_names(view))
      return cell_text(row->name);
    string_sink_clear(view->text);
    write_cxx_name(&view->text->sink, row->name);
    return view_text(view);
  case CONTENT_FIGURE:
    return cell_optional(figure_known(view->reduction, column),
                         row_figure(row, column));
  case CONTENT_AVERAGE:
    return cell_average(figures->bytes, figures->counts[column->measure]);
  case CONTENT_COUNTS:
  case CONTENT_MORE:
    return (struct cell){.kind = CELL_COUNTS,
                         .counts =
                             figures == NULL ? row->counts : figures->counts};
  case CONTENT_BY_CATEGORY:
    return (struct cell){.kind = CELL_NUMBERS,
                         .number = CATEGORY_COUNT,
                         .counts = figures->by_category};
  default:
    return view->table->cell(view, row, column->id);
  }
}

struct cell
view_text(const struct view *view)
{
  return cell_text(string_sink_text(view->text));
}
