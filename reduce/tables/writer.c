/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The forms differ in what stands between things. */

#include "tables/writer.h"

#include "base/quote.h"
#include "tables/escape.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>

static bool
is_lisp(const struct writer *writer)
{
  return writer->form == FORM_LISP;
}

/* Writes what stands before a value: a separator and its key. */
static void
next(struct writer *writer, const char *key)
{
  bool lisp = is_lisp(writer);
  if (!writer->first)
    sink_text(writer->sink, lisp ? " " : ",");
  writer->first = false;
  if (key == NULL)
    return;
  sink_text(writer->sink, lisp ? ":" : "\"");
  for (const char *c = key; *c != '\0'; c++)
    sink_bytes(writer->sink, lisp && *c == '_' ? "-" : c, 1);
  sink_text(writer->sink, lisp ? " " : "\":");
}

void
writer_begin(struct writer *writer, const char *key, char bracket)
{
  next(writer, key);
  sink_format(writer->sink, "%c", is_lisp(writer) ? '(' : bracket);
  writer->first = true;
}

void
writer_end(struct writer *writer, char bracket)
{
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
  else
    sink_text(writer->sink, is_lisp(writer) ? "nil" : "null");
}

void
writer_number(struct writer *writer, const char *key, uint64_t number)
{
  writer_optional(writer, key, true, number);
}

void
writer_index(struct writer *writer, const char *key, uint32_t index)
{
  writer_optional(writer, key, index != INDEX_NONE, index);
}

void
writer_text(struct writer *writer, const char *key, const char *text)
{
  next(writer, key);
  if (is_lisp(writer))
    lisp_string(writer->sink, text);
  else
    json_string(writer->sink, text);
}

void
writer_name(struct writer *writer, const char *key, const char *name)
{
  struct string_sink line;
  if (writer->form != FORM_PAGE) {
    if (*name == '\0')
      writer_optional(writer, key, false, 0);
    else
      writer_text(writer, key, name);
    return;
  }
  string_sink_init(&line);
  escape_name(&line.sink, name, "");
  writer_text(writer, key, string_sink_for(&line, writer->sink));
  string_sink_release(&line);
}

void
writer_counts(struct writer *writer, const struct reduction *reduction,
              const char *prefix, const uint64_t *counts)
{
  char key[64];
  for (int i = 0; i < MEASURE_COUNT; i++) {
    const struct measure_row *row = &measure_rows[i];
    if (!reduction_knows(reduction, (enum measure)i))
      continue;
    snprintf(key, sizeof key, "%s%s", prefix,
             writer->form == FORM_PAGE ? row->word : row->key);
    writer_number(writer, key, counts[i]);
  }
}

void
writer_categories(struct writer *writer, const char *key,
                  const struct figures *figures)
{
  writer_begin(writer, key, '[');
  for (size_t i = 0; i < CATEGORY_COUNT; i++)
    writer_number(writer, NULL, figures->category_bytes[i]);
  writer_end(writer, ']');
}

void
writer_figures(struct writer *writer, const struct reduction *reduction,
               const char *key, const struct figures *figures)
{
  writer_begin(writer, key, '{');
  writer_counts(writer, reduction, "", figures->counts);
  writer_categories(writer, "categories", figures);
  writer_end(writer, '}');
}

void
writer_type(struct writer *writer, const struct profile *profile,
            uint32_t type)
{
  const struct profile_type *t = &profile->types[type];
  writer_text(writer, "category",
              category_name(profile->language, t->category));
  writer_name(writer, "type", names_text(&profile->names, t->type));
  writer_name(writer, "class", names_text(&profile->names, t->class_name));
}

static void
write_parts(struct writer *writer, const char *key, const struct view *view,
            size_t item)
{
  const struct profile *profile = view->reduction->profile;
  struct part part;
  writer_begin(writer, key, '[');
  for (size_t i = 0; view->table->part(view, item, i, &part); i++) {
    writer_begin(writer, NULL, '{');
    if (writer->places[TO_TYPES] != NULL)
      writer_number(writer, "type", writer->places[TO_TYPES][part.type]);
    else
      writer_type(writer, profile, part.type);
    writer_number(writer, measure_rows[MEASURE_ALLOCS].key, part.allocs);
    writer_number(writer, measure_rows[MEASURE_BYTES].key, part.bytes);
    writer_end(writer, '}');
  }
  writer_end(writer, ']');
}

/* Writes a reference to ITEM of TARGET. */
static void
write_reference(struct writer *writer, const char *key,
                const struct view *view, enum target target, uint64_t item)
{
  const struct call_graph *graph = &view->reduction->graph;
  if (target <= TO_TYPES && writer->places[target] != NULL)
    writer_number(writer, key, writer->places[target][item]);
  else if (target == TO_FUNCTIONS && is_lisp(writer))
    writer_text(writer, key, graph->nodes[item].name);
  else /* cycles have numbers that show, from 1 */
    writer_number(writer, key,
                  item + (target == TO_CYCLES && writer->form != FORM_JSON));
}

static void
write_list(struct writer *writer, const char *key, const struct view *view,
           const struct cell *cell)
{
  writer_begin(writer, key, '[');
  for (uint64_t i = 0; i < cell->number; i++)
    write_reference(writer, NULL, view, cell->to, cell->items[i]);
  writer_end(writer, ']');
}

static void
write_cell(struct writer *writer, const char *key, const struct view *view,
           const struct ranking_row *row, const struct column *column)
{
  const struct reduction *reduction = view->reduction;
  struct cell cell = view_cell(view, row, column);
  bool page = writer->form == FORM_PAGE;
  switch (cell.kind) {
  case CELL_COUNTS:
    if (column->content == CONTENT_BY_CATEGORY)
      writer_categories(writer, key, cell.figures);
    else if (page && *key != '\0')
      writer_figures(writer, reduction, key, cell.figures);
    else
      writer_counts(writer, reduction, key, cell.counts);
    break;
  case CELL_LABEL:
    if (is_lisp(writer)) {
      next(writer, key);
      sink_format(writer->sink, ":%s", cell.word);
      break;
    } /* fall through */
  case CELL_UNKNOWN:
  case CELL_NUMBER:
    writer_optional(writer, key, cell.kind == CELL_NUMBER, cell.number);
    break;
  case CELL_TEXT:
    if (column->content == CONTENT_NAME && !page)
      writer_text(writer, key, cell.text);
    else
      writer_name(writer, key, cell.text);
    break;
  case CELL_WORD:
    writer_text(writer, key, page ? cell.text : cell.word);
    break;
  case CELL_REFERENCE:
    write_reference(writer, key, view, cell.to, cell.number);
    break;
  case CELL_LIST:
    write_list(writer, key, view, &cell);
    break;
  case CELL_PARTS:
    write_parts(writer, key, view, row->item);
    break;
  case CELL_SHARE: /* only in texts, like those that follow */
  case CELL_CHANGE:
  case CELL_PERCENT:
    break;
  }
}

/* What stands before the key of a list of rows, before the list, before its
 * first row and before the next: so lines are as long as rows. */
static const struct {
  const char *key, *list, *first, *next;
} lines[] = {
    [FORM_JSON] = {",\n", "", "\n", ",\n"},
    [FORM_LISP] = {"\n ", "\n ", "", "\n  "},
    [FORM_PAGE] = {",", "", "", ","},
};

void
writer_rows(struct writer *writer, const char *key, const struct view *view)
{
  const struct table *table = view->table;
  struct ranking_row row;
  bool any = false;
  sink_format(writer->sink, is_lisp(writer) ? "%s:%s%s(" : "%s\"%s\":%s[",
              lines[writer->form].key, key, lines[writer->form].list);
  for (size_t i = 0; i < view_count(view); i++) {
    if (!view_row(view, i, &row))
      continue;
    sink_text(writer->sink,
              any ? lines[writer->form].next : lines[writer->form].first);
    writer->first = any = true;
    writer_begin(writer, NULL, '{');
    for (int first = 1; first >= 0; first--)
      for (size_t c = 0; c < table->column_count; c++) {
        const struct column *column = &table->columns[c];
        const char *name = column->keys[writer->form];
        if (name != NULL && column->first == (first != 0))
          write_cell(writer, name, view, &row, column);
      }
    writer_end(writer, '}');
  }
  writer_end(writer, ']');
}

void
writer_table(struct writer *writer, const char *key,
             const struct table *table, const struct reduction *reduction)
{
  struct view view;
  if (view_init(&view, table, reduction, writer->form))
    writer_rows(writer, key, &view);
  else
    sink_fail(writer->sink, ENOMEM);
  view_release(&view, writer->sink);
}
