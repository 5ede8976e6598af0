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
next(struct writer *writer, const char *key)
{
  bool lisp = is_lisp(writer);
  if (!writer->first)
    sink_text(writer->sink, lisp ? " " : ",");
  writer->first = false;
  if (key == NULL || writer->form == FORM_CSV)
    return;
  sink_text(writer->sink, lisp ? ":" : "\"");
  for (const char *c = key; *c != '\0'; c++)
    sink_bytes(writer->sink, lisp && *c == '_' ? "-" : c, 1);
  sink_text(writer->sink, lisp ? " " : "\":");
}

/* Lists have no brackets in CSV: what is in them are cells. */
void
writer_begin(struct writer *writer, const char *key, char bracket)
{
  if (writer->form == FORM_CSV)
    return;
  next(writer, key);
  sink_format(writer->sink, "%c", is_lisp(writer) ? '(' : bracket);
  writer->first = true;
}

void
writer_end(struct writer *writer, char bracket)
{
  if (writer->form == FORM_CSV)
    return;
  sink_format(writer->sink, "%c", is_lisp(writer) ? ')' : bracket);
  writer->first = false;
}

void
writer_optional(struct writer *writer, const char *key, bool known,
                uint64_t number)
{
  next(writer, key);
  if (known)
    sink_format(writer->sink, "%" PRIu64, number);
  else if (writer->form != FORM_CSV)
    sink_text(writer->sink, is_lisp(writer) ? "nil" : "null");
}

void
writer_number(struct writer *writer, const char *key, uint64_t number)
{
  writer_optional(writer, key, true, number);
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

void
writer_text(struct writer *writer, const char *key, const char *text)
{
  next(writer, key);
  if (writer->form == FORM_CSV)
    csv_string(writer->sink, text);
  else if (is_lisp(writer))
    lisp_string(writer->sink, text);
  else
    json_string(writer->sink, text);
}

/* Writes NAME under KEY; in forms other than CSV, an empty one as unknown. */
static void
write_name(struct writer *writer, const char *key, const char *name)
{
  if (*name == '\0' && writer->form != FORM_CSV)
    writer_optional(writer, key, false, 0);
  else
    writer_text(writer, key, name);
}

static void
write_heading(struct writer *writer, const char *heading)
{
  next(writer, NULL);
  sink_text(writer->sink, heading);
}

/* Writes the measures from FIRST up to LAST that are known; with NULL for
 * COUNTS, their headings. */
static void
write_measures(struct writer *writer, const struct view *view,
               const char *prefix, const uint64_t *counts, int first,
               int last)
{
  char key[64];
  for (int i = first; i <= last; i++) {
    if (!view_knows(view, (enum measure)i))
      continue;
    snprintf(key, sizeof key, "%s%s", prefix,
             measure_row(view->profile, (enum measure)i)->key);
    if (counts != NULL)
      writer_number(writer, key, counts[i]);
    else
      write_heading(writer, key);
  }
}

void
writer_counts(struct writer *writer, const struct view *view,
              const char *prefix, const uint64_t *counts)
{
  write_measures(writer, view, prefix, counts, 0, MEASURE_COUNT - 1);
}

void
writer_type(struct writer *writer, const struct profile *profile,
            uint32_t type)
{
  const struct profile_type *t = &profile->types[type];
  writer_text(writer, "category",
              category_rows[profile->language][t->category].name);
  write_name(writer, "type", names_text(&profile->names, t->type));
  write_name(writer, "class", names_text(&profile->names, t->class_name));
}

/* Writes PART; in CSV, which has its figures elsewhere, only its type. */
static void
write_part(struct writer *writer, const struct profile *profile,
           const struct type_part *part)
{
  if (writer->form == FORM_CSV) {
    writer_type(writer, profile, part->type);
    return;
  }
  writer_begin(writer, NULL, '{');
  if (writer->places[TO_TYPES] != NULL)
    writer_number(writer, "type", writer->places[TO_TYPES][part->type]);
  else
    writer_type(writer, profile, part->type);
  writer_number(writer, measure_rows[MEASURE_ALLOCS].key,
                part->figures.allocs);
  writer_number(writer, measure_rows[MEASURE_BYTES].key, part->figures.bytes);
  writer_end(writer, '}');
}

/* Writes a reference to ITEM of TARGET. */
static void
write_reference(struct writer *writer, const char *key,
                const struct listing *listing, enum target target,
                uint64_t item)
{
  const struct call_graph *graph = &listing->view->graph;
  if (target <= TO_TYPES && writer->places[target] != NULL)
    writer_number(writer, key, writer->places[target][item]);
  else if (target == TO_FUNCTIONS)
    writer_text(writer, key, graph->nodes[item].name);
  else /* cycles have numbers that show, from 1 */
    writer_number(writer, key,
                  item + (target == TO_CYCLES && writer->form != FORM_JSON));
}

/* Writes the measures that are in COLUMN: in CSV bytes and allocations stand
 * apart from the others. */
static void
write_counts(struct writer *writer, const struct view *view,
             const struct column *column, const uint64_t *counts)
{
  bool more = column->content == CONTENT_MORE;
  bool all = writer->form != FORM_CSV || more;
  write_measures(writer, view, column->keys[writer->form], counts,
                 more ? MEASURE_ALLOCS + 1 : 0,
                 all ? MEASURE_COUNT - 1 : MEASURE_ALLOCS);
}

static void
write_cell(struct writer *writer, const struct listing *listing,
           const struct ranking_row *row, const struct column *column)
{
  const struct view *view = listing->view;
  const char *key = column->keys[writer->form];
  struct cell cell = listing_cell(listing, row, column);
  switch (cell.kind) {
  case CELL_COUNTS:
    write_counts(writer, view, column, cell.counts);
    break;
  case CELL_NUMBERS:
    writer_begin(writer, key, '[');
    for (uint64_t i = 0; i < cell.number; i++)
      writer_number(writer, NULL, cell.counts[i]);
    writer_end(writer, ']');
    break;
  case CELL_KEYWORD:
    next(writer, key);
    sink_format(writer->sink, ":%s", cell.text);
    break;
  case CELL_UNKNOWN:
  case CELL_NUMBER:
    writer_optional(writer, key, cell.kind == CELL_NUMBER, cell.number);
    break;
  case CELL_TEXT:
    if (column->content == CONTENT_NAME)
      writer_text(writer, key, cell.text);
    else
      write_name(writer, key, cell.text);
    break;
  case CELL_REFERENCE:
    write_reference(writer, key, listing, cell.to, cell.number);
    break;
  case CELL_LIST:
    writer_begin(writer, key, '[');
    for (uint64_t i = 0; i < cell.number; i++)
      write_reference(writer, NULL, listing, cell.to, cell.items[i]);
    writer_end(writer, ']');
    break;
  case CELL_PARTS:
    writer_begin(writer, key, '[');
    for (uint64_t i = 0; i < cell.number; i++)
      write_part(writer, view->profile, &cell.parts[i]);
    writer_end(writer, ']');
    break;
  case CELL_SHARE: /* only in texts */
    break;
  }
}

static void
write_headings(struct writer *writer, const struct view *view,
               const struct column *column)
{
  if (column->content == CONTENT_BY_CATEGORY)
    for (unsigned i = 0; i < CATEGORY_COUNT; i++)
      writer_text(writer, NULL,
                  category_rows[view->profile->language][i].name);
  else if (column->content == CONTENT_COUNTS ||
           column->content == CONTENT_MORE)
    write_counts(writer, view, column, NULL);
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
  writer_begin(writer, NULL, '{');
  for (int first = 1; first >= 0; first--)
    for (size_t i = 0; i < table->column_count; i++) {
      const struct column *column = &table->columns[i];
      if (column->keys[writer->form] == NULL || column->first != (first != 0))
        continue;
      if (row == NULL)
        write_headings(writer, listing->view, column);
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
write_rows(struct writer *writer, const char *key,
           const struct listing *listing)
{
  struct sink *sink = writer->sink;
  const char *before = lines[writer->form].first;
  struct ranking_row row;
  sink_format(sink, "%s%s%s", lines[writer->form].key, key,
              lines[writer->form].list);
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
writer_table(struct writer *writer, const char *key,
             const struct table *table, const struct view *view)
{
  struct scratch *scratch = scratch_begin();
  struct listing listing;
  listing_init(&listing, table, view, writer->form);
  if (listing.text->sink.error_number == 0)
    write_rows(writer, key, &listing);
  else /* it would be too large */
    sink_fail(writer->sink, listing.text->sink.error_number);
  scratch_end(scratch);
}
