/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The forms differ in what stands between things.
 *
 * CSV is as RFC 4180 has it: lines that end in CR LF, text in double quotes
 * with these doubled, so that commas, quotes and line ends in names are no
 * matter.  Numbers are without quotes.  A spreadsheet takes text that begins
 * with "=", "+", "-" or "@", perhaps after a tab or a line end, for a
 * formula, quotes or not.  Such text, and text that begins with an
 * apostrophe, gets an apostrophe in front: what reads the file takes one away
 * from text that begins with one.
 */

#include "tables/writer.h"

#include "base/quote.h"
#include "tables/scratch.h"
#include "tables/table.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static bool
is_lisp(const struct writer *writer)
{
  return writer->form == FORM_LISP;
}

/* Writes what stands before a value: a separator and, but in CSV, its key. */
static void
next(struct writer *writer)
{
  bool lisp = is_lisp(writer);
  if (!writer->first)
    sink_text(writer->sink, lisp ? " " : ",");
  writer->first = false;
  if (writer->key == NULL || writer->form == FORM_CSV)
    return;
  sink_text(writer->sink, lisp ? ":" : "\"");
  for (const char *c = writer->key; *c != '\0'; c++)
    sink_bytes(writer->sink, lisp && *c == '_' ? "-" : c, 1);
  sink_text(writer->sink, lisp ? " " : "\":");
}

/* Lists have no brackets in CSV: what is in them are cells. */
void
writer_begin(struct writer *writer, char bracket)
{
  if (writer->form == FORM_CSV)
    return;
  next(writer);
  sink_format(writer->sink, "%c", is_lisp(writer) ? '(' : bracket);
  writer->first = true;
  writer->key = NULL;
}

void
writer_end(struct writer *writer, char bracket)
{
  if (writer->form == FORM_CSV)
    return;
  sink_format(writer->sink, "%c", is_lisp(writer) ? ')' : bracket);
  writer->first = false;
  writer->key = NULL;
}

static void
csv_string(struct sink *sink, const char *text)
{
  bool formula = *text != '\0' && strchr("=+-@'\t\r\n", *text) != NULL;
  sink_text(sink, formula ? "\"'" : "\"");
  for (const char *quote; (quote = strchr(text, '"')) != NULL;
       text = quote + 1) {
    sink_bytes(sink, text, (size_t)(quote - text) + 1);
    sink_text(sink, "\"");
  }
  sink_text(sink, text);
  sink_text(sink, "\"");
}

static void
write_heading(struct writer *writer, const char *heading)
{
  next(writer);
  sink_text(writer->sink, heading);
}

/* Writes the measures from FIRST up to LAST that are known; with NULL for
 * COUNTS, their headings. */
static void
write_measures(struct writer *writer, const char *prefix,
               const uint64_t *counts, int first, int last)
{
  char key[64];
  for (int i = first; i <= last; i++) {
    if (!view_knows(writer->view, (enum measure)i))
      continue;
    snprintf(key, sizeof key, "%s%s", prefix,
             measure_row(writer->view->profile, (enum measure)i)->key);
    if (counts != NULL)
      put_number(at(writer, key), counts[i]);
    else
      write_heading(writer, key);
  }
}

void
writer_counts(struct writer *writer, const char *prefix,
              const uint64_t *counts)
{
  write_measures(writer, prefix, counts, 0, MEASURE_COUNT - 1);
}

/* ---- cells ---- */

void
put_optional(struct writer *writer, bool known, uint64_t number)
{
  if (writer->form != FORM_TEXT) {
    next(writer);
    if (known)
      sink_format(writer->sink, "%" PRIu64, number);
    else if (writer->form != FORM_CSV)
      sink_text(writer->sink, is_lisp(writer) ? "nil" : "null");
  } else if (!known) {
    text_table_cell(writer->text, "%s", "");
  } else if (writer->unit == UNIT_COUNT) {
    text_table_number(writer->text, number);
  } else {
    text_table_time(writer->text, number, writer->unit == UNIT_TIME);
  }
}

void
put_number(struct writer *writer, uint64_t number)
{
  put_optional(writer, true, number);
}

void
put_calls(struct writer *writer, uint64_t calls)
{
  put_optional(writer, calls != CALLS_UNKNOWN, calls);
}

void
put_average(struct writer *writer, uint64_t bytes, uint64_t count)
{
  if (count == 0 || count == CALLS_UNKNOWN)
    put_optional(writer, false, 0);
  else
    put_number(writer, bytes / count + (bytes % count >= count - count / 2));
}

void
put_string(struct writer *writer, const char *text)
{
  if (writer->form == FORM_TEXT) {
    text_table_name(writer->text, text);
    return;
  }
  next(writer);
  (writer->form == FORM_CSV ? csv_string
   : is_lisp(writer)        ? lisp_string
                            : json_string)(writer->sink, text);
}

void
put_text(struct writer *writer, const char *text)
{
  if (text == NULL || (*text == '\0' && writer->form < FORM_CSV))
    put_optional(writer, false, 0);
  else
    put_string(writer, text);
}

void
put_keyword(struct writer *writer, const char *text)
{
  if (writer->form != FORM_LISP) {
    put_text(writer, text);
    return;
  }
  next(writer);
  sink_format(writer->sink, ":%s", text);
}

void
put_reference(struct writer *writer, enum target target, uint64_t item)
{
  if (target <= TO_TYPES && writer->places[target] != NULL)
    put_number(writer, writer->places[target][item]);
  else if (target == TO_FUNCTIONS)
    put_string(writer, writer->view->graph.nodes[item].name);
  else /* cycles have numbers that show, from 1 */
    put_number(writer,
               item + (target == TO_CYCLES && writer->form != FORM_JSON));
}

void
put_type(struct writer *writer, uint32_t type)
{
  const struct profile *profile = writer->view->profile;
  const struct profile_type *t = &profile->types[type];
  put_string(at(writer, "category"),
             category_rows[profile->language][t->category].name);
  put_text(at(writer, "type"), names_text(&profile->names, t->type));
  put_text(at(writer, "class"), names_text(&profile->names, t->class_name));
}

void
put_part(struct writer *writer, uint32_t type, uint64_t allocs,
         uint64_t bytes)
{
  writer_begin(writer, '{');
  if (writer->places[TO_TYPES] != NULL)
    put_number(at(writer, "type"), writer->places[TO_TYPES][type]);
  else
    put_type(writer, type);
  if (writer->form != FORM_CSV) { /* that has them elsewhere */
    put_number(at(writer, measure_rows[MEASURE_ALLOCS].key), allocs);
    put_number(at(writer, measure_rows[MEASURE_BYTES].key), bytes);
  }
  writer_end(writer, '}');
}

void
put_parts(struct writer *writer, const struct type_part *parts, size_t count)
{
  writer_begin(writer, '[');
  for (size_t i = 0; i < count; i++)
    put_part(writer, parts[i].type, parts[i].figures.allocs,
             parts[i].figures.bytes);
  writer_end(writer, ']');
}

void
put_numbers(struct writer *writer, const uint64_t *numbers, size_t count)
{
  writer_begin(writer, '[');
  for (size_t i = 0; i < count; i++)
    put_number(writer, numbers[i]);
  writer_end(writer, ']');
}

void
put_functions(struct writer *writer, const uint32_t *nodes, size_t count)
{
  writer_begin(writer, '[');
  for (size_t i = 0; i < count; i++)
    put_reference(writer, TO_FUNCTIONS, nodes[i]);
  writer_end(writer, ']');
}

/* ---- rows ---- */

/* Writes the measures that are in COLUMN, or their headings: in CSV bytes and
 * allocations stand apart from the others. */
static void
write_counts(struct writer *writer, const struct column *column,
             const uint64_t *counts)
{
  bool more = column->content == CONTENT_MORE;
  bool all = writer->form != FORM_CSV || more;
  write_measures(writer, column->keys[writer->form], counts,
                 more ? MEASURE_ALLOCS + 1 : 0,
                 all ? MEASURE_COUNT - 1 : MEASURE_ALLOCS);
}

static void
write_cell(struct writer *writer, const struct listing *listing,
           const struct ranking_row *row, const struct column *column)
{
  const struct figures *figures =
      column->of == OF_INCLUSIVE ? row->inclusive : row->figures;
  writer->key = column->keys[writer->form];
  if (column->content == CONTENT_COUNTS || column->content == CONTENT_MORE)
    write_counts(writer, column,
                 figures == NULL ? row->counts : figures->counts);
  else if (column->content == CONTENT_BY_CATEGORY)
    put_numbers(writer, figures->by_category, CATEGORY_COUNT);
  else
    listing_cell(listing, row, column, writer);
}

static void
write_heading_of(struct writer *writer, const struct column *column)
{
  enum language language = writer->view->profile->language;
  if (column->content == CONTENT_BY_CATEGORY)
    for (unsigned i = 0; i < CATEGORY_COUNT; i++)
      put_string(writer, category_rows[language][i].name);
  else if (column->content == CONTENT_COUNTS ||
           column->content == CONTENT_MORE)
    write_counts(writer, column, NULL);
  else
    write_heading(writer, column->keys[FORM_CSV]);
}

/* Writes ROW; the headings when it is NULL. */
static void
write_row(struct writer *writer, const struct listing *listing,
          const struct ranking_row *row)
{
  const struct table *table = listing->table;
  writer->first = true;
  writer_begin(writer, '{');
  for (int first = 1; first >= 0; first--)
    for (size_t i = 0; i < table->column_count; i++) {
      const struct column *column = &table->columns[i];
      if (column->keys[writer->form] == NULL || column->first != (first != 0))
        continue;
      if (row == NULL)
        write_heading_of(writer, column);
      else
        write_cell(writer, listing, row, column);
    }
  writer_end(writer, '}');
}

/* What stands before the key of a list of rows, before the list, before its
 * first row, between two and at the end: so lines are as long as rows. */
static const struct {
  const char *key, *list, *first, *next, *end;
} lines[] = {
    [FORM_JSON] = {",\n\"", "\":[", "\n", ",\n", "]"},
    [FORM_LISP] = {"\n :", "\n (", "", "\n  ", ")"},
    [FORM_CSV] = {"", "", "\r\n", "\r\n", "\r\n"},
};

static void
write_rows(struct writer *writer, const struct listing *listing)
{
  struct sink *sink = writer->sink;
  const char *before = lines[writer->form].first;
  struct ranking_row row;
  sink_format(sink, "%s%s%s", lines[writer->form].key, writer->key,
              lines[writer->form].list);
  writer->key = NULL;
  if (writer->form == FORM_CSV)
    write_row(writer, listing, NULL);
  for (size_t i = 0; listing_row(listing, i, &row); i++) {
    if (row.left_out)
      continue;
    sink_text(sink, before);
    write_row(writer, listing, &row);
    before = lines[writer->form].next;
  }
  sink_text(sink, lines[writer->form].end);
  writer->first = false;
}

void
writer_table(struct writer *writer, const struct table *table)
{
  struct scratch *scratch = scratch_begin();
  struct listing listing;
  listing_init(&listing, table, writer->view, writer->form);
  if (listing.text->sink.error_number == 0)
    write_rows(writer, &listing);
  else /* it would be too large */
    sink_fail(writer->sink, listing.text->sink.error_number);
  scratch_end(scratch);
}
