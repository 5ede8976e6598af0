/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Comma-separated values as RFC 4180 has them: a header, lines that end in
 * CR LF, text in double quotes with these doubled, so that commas, quotes and
 * line ends in names are no matter.  Numbers are without quotes.
 *
 * A spreadsheet takes text that begins with "=", "+", "-" or "@", perhaps
 * after a tab or a line end, for a formula, quotes or not.  Such text, and
 * text that begins with an apostrophe, gets an apostrophe in front: what
 * reads the file takes one away from text that begins with one.
 */

#include "tables/output.h"
#include "tables/table.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

/* A row being written. */
struct line {
  const struct view *view;
  struct sink *sink;
  bool begun;
};

static void
next(struct line *line)
{
  if (line->begun)
    sink_text(line->sink, ",");
  line->begun = true;
}

static void
next_text(struct line *line, const char *text)
{
  struct sink *sink = line->sink;
  next(line);
  sink_text(sink, *text != '\0' && strchr("=+-@'\t\r\n", *text) != NULL
                      ? "\"'"
                      : "\"");
  while (*text != '\0') {
    size_t plain = strcspn(text, "\"");
    sink_bytes(sink, text, plain);
    text += plain;
    if (*text == '"') {
      sink_text(sink, "\"\"");
      text++;
    }
  }
  sink_text(sink, "\"");
}

static void
next_number(struct line *line, uint64_t number)
{
  next(line);
  sink_format(line->sink, "%" PRIu64, number);
}

static void
end(struct line *line)
{
  sink_text(line->sink, "\r\n");
  line->begun = false;
}

/* Whether COLUMN has a cell for MEASURE. */
static bool
has_measure(const struct line *line, const struct column *column, int measure)
{
  return (measure > MEASURE_ALLOCS) == (column->content == CONTENT_MORE) &&
         reduction_knows(line->view->reduction, (enum measure)measure);
}

static void
write_heading(struct line *line, const struct column *column)
{
  const struct reduction *reduction = line->view->reduction;
  const char *key = column->keys[FORM_CSV];
  if (column->content == CONTENT_BY_CATEGORY) {
    for (unsigned i = 0; i < CATEGORY_COUNT; i++)
      next_text(line, category_name(reduction->profile->language, i));
  } else if (column->content == CONTENT_COUNTS ||
             column->content == CONTENT_MORE) {
    for (int i = 0; i < MEASURE_COUNT; i++)
      if (has_measure(line, column, i)) {
        next(line);
        sink_format(line->sink, "%s%s", key, measure_rows[i].key);
      }
  } else {
    next(line);
    sink_text(line->sink, key);
  }
}

static void
write_type(struct line *line, uint32_t index)
{
  const struct profile *profile = line->view->reduction->profile;
  const struct profile_type *type = &profile->types[index];
  next_text(line, category_name(profile->language, type->category));
  next_text(line, names_text(&profile->names, type->type));
  next_text(line, names_text(&profile->names, type->class_name));
}

/* Writes the cell of ROW in COLUMN, of PART of it unless that is NULL. */
static void
write_cell(struct line *line, const struct ranking_row *row,
           const struct column *column, const struct part *part)
{
  const struct reduction *reduction = line->view->reduction;
  struct cell cell = view_cell(line->view, row, column);
  switch (cell.kind) {
  case CELL_NUMBER:
    next_number(line, cell.number);
    break;
  case CELL_TEXT:
    next_text(line, cell.text);
    break;
  case CELL_WORD:
  case CELL_LABEL:
    next_text(line, cell.word);
    break;
  case CELL_REFERENCE:
    if (cell.to == TO_FUNCTIONS)
      next_text(line, reduction->graph.nodes[cell.number].name);
    else /* cycles count from 1 */
      next_number(line, cell.number + 1);
    break;
  case CELL_COUNTS:
    if (part != NULL)
      cell.counts = part->figures->counts;
    if (column->content == CONTENT_BY_CATEGORY)
      for (unsigned i = 0; i < CATEGORY_COUNT; i++)
        next_number(line, cell.figures->category_bytes[i]);
    else
      for (int i = 0; i < MEASURE_COUNT; i++)
        if (has_measure(line, column, i))
          next_number(line, cell.counts[i]);
    break;
  case CELL_PARTS:
    write_type(line, part->type);
    break;
  default:
    next(line);
  }
}

/* Writes the cells of ROW; the headings when it is NULL. */
static void
write_line(struct line *line, const struct ranking_row *row,
           const struct part *part)
{
  const struct table *table = line->view->table;
  for (int first = 1; first >= 0; first--)
    for (size_t i = 0; i < table->column_count; i++) {
      const struct column *column = &table->columns[i];
      if (column->keys[FORM_CSV] == NULL || column->first != (first != 0))
        continue;
      if (row == NULL)
        write_heading(line, column);
      else
        write_cell(line, row, column, part);
    }
  end(line);
}

void
export_csv(const struct reduction *reduction, struct sink *sink)
{
  const struct output *output = reduction->options->table;
  const struct table *table = (output == NULL ? csv_tables : output)->table;
  struct view view;
  struct line line = {&view, sink, false};
  struct ranking_row row;
  struct part part;
  bool good = view_init(&view, table, reduction, FORM_CSV);
  if (!good)
    sink_fail(sink, ENOMEM);
  write_line(&line, NULL, NULL);
  for (size_t i = 0; good && i < view_count(&view); i++) {
    if (!view_row(&view, i, &row))
      continue;
    if (!table->by_parts)
      write_line(&line, &row, NULL);
    for (size_t j = 0;
         table->by_parts && table->part(&view, row.item, j, &part); j++)
      write_line(&line, &row, &part);
  }
  view_release(&view, sink);
}
