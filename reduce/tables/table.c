/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Fills a listing: rows are asked for one by one, then put in order; and
 * makes the cells of rows. */

#include "tables/table.h"

#include <ctype.h>
#include <string.h>

/* Puts the rows of a text in order, and leaves out small ones. */
static void
arrange_text(struct listing *listing)
{
  const struct table *table = listing->table;
  const struct view_options *options = listing->view->options;
  bool asked = options->sort != SORT_DEFAULT;
  enum sort_key key = asked ? options->sort : table->sort;
  if (table->members != NULL && sort_measure(key) > MEASURE_ALLOCS)
    key = SORT_BYTES; /* members have no other figures */
  ranking_sort(&listing->ranking, key);
  if (!table->uncut)
    ranking_cut(&listing->ranking, listing_total(listing).figures, options);
  if (table->in_place && !asked)
    ranking_by_rank(&listing->ranking);
}

/* Returns whether the rows of LISTING stay in the order of their items. */
static bool
stays_in_place(const struct listing *listing)
{
  return listing->form != FORM_TEXT && listing->table->in_place;
}

static bool
make_row(const struct listing *listing, size_t item, struct ranking_row *row)
{
  *row = (struct ranking_row){.name = "", .item = item};
  if (!listing->table->row(listing, item, row))
    return false;
  if (listing->table->drops_empty && !figures_any(row->figures))
    row->left_out = true;
  return true;
}

void
listing_init(struct listing *listing, const struct table *table,
             const struct view *view, enum form form)
{
  struct ranking *ranking = &listing->ranking;
  *listing = (struct listing){.table = table, .view = view, .form = form};
  ranking->bytes = table->bytes;
  ranking->inclusive = form != FORM_TEXT;
  listing->text = pool_alloc(sizeof *listing->text);
  string_sink_init(listing->text);
  listing->context = pool_zeroed(1, table->context_bytes);
  if (table->init != NULL)
    table->init(listing);
  if (form == FORM_TEXT)
    text_report_begin(listing);
  if (stays_in_place(listing) || table->row == NULL)
    return;
  struct ranking_row row;
  for (size_t i = 0; make_row(listing, i, &row); i++)
    if (!row.left_out)
      ranking_add(ranking, row);
  if (form == FORM_TEXT && table->arrange != NULL)
    table->arrange(listing);
  else if (form == FORM_TEXT)
    arrange_text(listing);
  else
    ranking_sort_by(ranking, view_measure(view));
}

bool
listing_row(const struct listing *listing, size_t index,
            struct ranking_row *row)
{
  if (stays_in_place(listing))
    return make_row(listing, index, row);
  if (index < listing->ranking.count)
    *row = listing->ranking.rows[index];
  return index < listing->ranking.count;
}

/* Returns the calls of the total: all that are counted, whether or not a
 * function has a row; of groups, those that lead from one to another. */
static uint64_t
all_calls(const struct view *view)
{
  return view->options->by == BY_FUNCTION ||
                 view->profile->language == LANGUAGE_C
             ? view->selection.calls
             : view->graph.calls;
}

struct ranking_row
listing_total(const struct listing *listing)
{
  const struct figures *total = listing->table->total != NULL
                                    ? listing->table->total(listing)
                                    : &listing->view->selection.total;
  return (struct ranking_row){.figures = total,
                              .inclusive = total,
                              .name = "<TOTAL>",
                              .calls = all_calls(listing->view),
                              .item = (size_t)NO_ITEM};
}

/* Returns what was freed of ALL when KEPT was not; 0 where a profile of
 * another program says that more was kept than allocated. */
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

bool
listing_has_cxx_names(const struct listing *listing)
{
  return listing->form == FORM_TEXT &&
         listing->view->profile->language == LANGUAGE_C;
}

void
listing_cell(const struct listing *listing, const struct ranking_row *row,
             const struct column *column, struct writer *out)
{
  const struct profile_gaps *gaps = &listing->view->profile->gaps;
  const struct figures *figures =
      column->of == OF_INCLUSIVE ? row->inclusive : row->figures;
  const void *field = column->content < CONTENT_NUMBER
                          ? NULL
                          : (const char *)row->data + column->id;
  out->unit = column->unit;
  switch (column->content) {
  case CONTENT_NAME:
    string_sink_clear(listing->text);
    if (listing_has_cxx_names(listing))
      write_cxx_name(&listing->text->sink, row->name);
    put_string(out, listing_has_cxx_names(listing)
                        ? string_sink_text(listing->text)
                        : row->name);
    break;
  case CONTENT_FIGURE:
    put_optional(
        out,
        (column->measure != MEASURE_ALLOCS || gaps->countless == 0) &&
            (column->of != OF_FREED || gaps->live + gaps->apart == 0),
        row_figure(row, column));
    break;
  case CONTENT_AVERAGE:
    put_average(out, figures->bytes, figures->counts[column->measure]);
    break;
  case CONTENT_OF_ALLOCS:
    text_table_share(out->text, figures->counts[column->measure],
                     figures->allocs);
    break;
  case CONTENT_CALLS:
    put_calls(out, row->calls);
    break;
  case CONTENT_PER_CALL:
    put_average(out, figures->bytes, row->calls);
    break;
  case CONTENT_NUMBER:
    put_number(out, *(const uint64_t *)field);
    break;
  case CONTENT_OPTIONAL:
    put_optional(out, *(const uint64_t *)field != 0,
                 *(const uint64_t *)field);
    break;
  case CONTENT_TEXT:
    put_text(out, *(const char *const *)field);
    break;
  case CONTENT_FUNCTION:
    put_reference(out, TO_FUNCTIONS, *(const uint32_t *)field);
    break;
  default:
    listing->table->cell(listing, row, column->id, out);
  }
}

/* ---- names of C++ ---- */

static const char operator_word[] = "operator";

enum { LONG_ARGUMENTS = 20 }; /* characters, with the brackets */

/* Returns where the brackets that open at TEXT are closed again: behind
 * that, or NULL. */
static const char *
brackets_end(const char *text)
{
  size_t depth = 0;
  for (; *text != '\0'; text++) {
    depth += *text == '<';
    depth -= *text == '>' && text[-1] != '-';
    if (depth == 0)
      return text + 1;
  }
  return NULL;
}

void
write_cxx_name(struct sink *sink, const char *name)
{
  static const char string[] =
      "std::__cxx11::basic_string<char, "
      "std::char_traits<char>, std::allocator<char> >";
  const size_t word = strlen(operator_word);
  for (const char *c = name; *c != '\0';) {
    const char *end =
        *c == '<' && c > name &&
                (isalnum((unsigned char)c[-1]) || c[-1] == '_') &&
                ((size_t)(c - name) < word ||
                 memcmp(c - word, operator_word, word) != 0)
            ? brackets_end(c)
            : NULL;
    if (strncmp(c, string, sizeof string - 1) == 0) {
      sink_text(sink, "std::string");
      c += sizeof string - 1;
    } else if (end != NULL && end - c > LONG_ARGUMENTS) {
      sink_text(sink, "<...>");
      c = end;
    } else {
      sink_bytes(sink, c++, 1);
    }
  }
}
