/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Printing a table: widths of columns, names that are cut to fit, styles.
 *
 * Widths count Unicode characters, each as one column.  Where the sink has a
 * width, text columns give way until lines fit, the widest first, none below
 * LEAST_TEXT_WIDTH; then columns are left out that can be spared.  A name
 * that does not fit is cut in its middle, since names begin with a package
 * and end with what tells them apart.  Blanks at the end of a line are not
 * written.
 */

#include "tables/text_table.h"

#include "base/array.h"

#include <errno.h>
#include <string.h>

enum {
  RULE_NAME_WIDTH = 24, /* how far lines reach below the last column */
  LEAST_TEXT_WIDTH = 30
};

/* The number of characters of TEXT. */
static size_t
text_width(const char *text)
{
  size_t width = 0;
  for (; *text != '\0'; text++)
    width += ((unsigned char)*text & 0xc0) != 0x80;
  return width;
}

static void
widen(size_t *width, const char *text)
{
  size_t needed = text == NULL ? 0 : text_width(text);
  if (needed > *width)
    *width = needed;
}

/* Whether CELL is a mark and no offset. */
static bool
is_mark(size_t cell)
{
  return cell >= TEXT_HEAVY;
}

static unsigned
spare_of(const struct text_table *table, size_t column)
{
  return table->spare == NULL ? 0 : table->spare[column];
}

static unsigned
span_of(const struct text_column *column)
{
  return column->top_span == 0 ? 1 : column->top_span;
}

/* The width of SPAN columns from FIRST on, with the gaps between them. */
static size_t
span_width(const struct text_table *table, const size_t *widths, size_t first,
           unsigned span)
{
  size_t width = widths[first];
  for (size_t i = first + 1; i < first + span; i++)
    width += table->columns[i].gap + widths[i];
  return width;
}

static void
measure(const struct text_table *table, size_t *widths)
{
  for (size_t i = 0; i < table->column_count; i++)
    widen(&widths[i], table->columns[i].bottom);
  size_t column = 0;
  for (size_t i = 0; i < table->cell_count; i++) {
    if (is_mark(table->cells[i]))
      continue;
    widen(&widths[column], table->text + table->cells[i]);
    column = (column + 1) % table->column_count;
  }
  for (size_t i = 0; i < table->column_count; i++) {
    const struct text_column *c = &table->columns[i];
    size_t top = c->top == NULL ? 0 : text_width(c->top);
    size_t width = span_width(table, widths, i, span_of(c));
    if (top > width)
      widths[i] += top - width;
  }
}

/* The width of a line whose names are cut as far as they may be. */
static size_t
least_width(const struct text_table *table, const size_t *widths)
{
  size_t width = 0;
  for (size_t i = 0; i < table->column_count; i++)
    width += table->columns[i].gap +
             (table->columns[i].left && widths[i] > LEAST_TEXT_WIDTH
                  ? LEAST_TEXT_WIDTH
                  : widths[i]);
  return width;
}

/* A table as it is printed: its columns and cells are those of another one
 * that are less spare than a limit. */
struct shown_table {
  struct text_table table; /* the text is the other's */
  struct text_column *columns;
  size_t *cells, *widths;
  unsigned limit;
};

static bool
shown_table_init(struct shown_table *shown, const struct text_table *table)
{
  shown->table = *table;
  shown->columns = array_zeroed(table->column_count, sizeof *shown->columns);
  shown->cells = array_zeroed(table->cell_count + 1, sizeof *shown->cells);
  shown->widths = array_zeroed(table->column_count, sizeof *shown->widths);
  shown->limit = 1;
  for (size_t i = 0; i < table->column_count; i++)
    if (spare_of(table, i) >= shown->limit)
      shown->limit = spare_of(table, i) + 1;
  return shown->columns != NULL && shown->cells != NULL &&
         shown->widths != NULL;
}

static void
shown_table_release(struct shown_table *shown)
{
  free(shown->columns);
  free(shown->cells);
  free(shown->widths);
}

/* Fills SHOWN in from TABLE, by its limit. */
static void
choose_columns(struct shown_table *shown, const struct text_table *table)
{
  size_t column = 0;
  size_t count = 0;
  size_t cells = 0;
  for (size_t i = 0; i < table->column_count; i++)
    if (spare_of(table, i) < shown->limit)
      shown->columns[count++] = table->columns[i];
  for (size_t i = 0; i < table->cell_count; i++) {
    bool mark = is_mark(table->cells[i]);
    if (mark || spare_of(table, column) < shown->limit)
      shown->cells[cells++] = table->cells[i];
    if (!mark)
      column = (column + 1) % table->column_count;
  }
  shown->table.columns = shown->columns;
  shown->table.column_count = count;
  shown->table.cells = shown->cells;
  shown->table.cell_count = cells;
  shown->table.spare = NULL;
  memset(shown->widths, 0, count * sizeof *shown->widths);
  measure(&shown->table, shown->widths);
}

/* Makes columns of text narrower until all fit into LINE_WIDTH, or none is
 * left that may be. */
static void
narrow(const struct text_table *table, size_t *widths, size_t line_width)
{
  size_t count = table->column_count;
  size_t width =
      table->columns[0].gap + span_width(table, widths, 0, (unsigned)count);
  while (width > line_width) {
    size_t widest = count;
    size_t second = LEAST_TEXT_WIDTH;
    for (size_t i = 0; i < count; i++) {
      if (!table->columns[i].left || widths[i] <= LEAST_TEXT_WIDTH)
        continue;
      if (widest == count || widths[i] > widths[widest]) {
        if (widest != count)
          second = widths[widest];
        widest = i;
      } else if (widths[i] > second) {
        second = widths[i];
      }
    }
    if (widest == count)
      return;
    size_t less = widths[widest] - second;
    if (less == 0)
      less = 1;
    if (less > width - line_width)
      less = width - line_width;
    widths[widest] -= less;
    width -= less;
  }
}

/* The part of TEXT before its character COUNT. */
static size_t
characters_length(const char *text, size_t count)
{
  size_t length = 0;
  while (text[length] != '\0' && count > 0) {
    length++;
    while (((unsigned char)text[length] & 0xc0) == 0x80)
      length++;
    count--;
  }
  return length;
}

/* Writes TEXT, of USED characters, with its middle left out so that WIDTH
 * remain. */
static void
put_cut(struct sink *sink, const char *text, size_t used, size_t width)
{
  size_t tail = (width - 1) / 2;
  sink_bytes(sink, text, characters_length(text, width - 1 - tail));
  sink_text(sink, "\xe2\x80\xa6"); /* an ellipsis */
  sink_text(sink, text + characters_length(text, used - tail));
}

/* Writes TEXT aligned in WIDTH, PENDING blanks before it; blanks are held
 * back until something follows them. */
static void
put(struct sink *sink, const char *text, size_t width, bool left,
    size_t *pending)
{
  size_t used = text_width(text);
  size_t padding = width > used ? width - used : 0;
  size_t start = strspn(text, " ");
  if (!left)
    *pending += padding;
  if (text[start] == '\0') {
    *pending += start;
  } else {
    sink_repeat(sink, ' ', *pending);
    *pending = 0;
    if (used > width)
      put_cut(sink, text, used, width);
    else
      sink_text(sink, text);
  }
  if (left)
    *pending += padding;
}

static void
print_headings(const struct text_table *table, const size_t *widths,
               struct sink *sink)
{
  size_t pending = 0;
  bool any = false;
  sink_style(sink, STYLE_STRONG);
  for (size_t i = 0; i < table->column_count; i++)
    any = any || table->columns[i].top != NULL;
  for (size_t i = 0; any && i < table->column_count;) {
    const struct text_column *c = &table->columns[i];
    unsigned span = span_of(c);
    size_t width = span_width(table, widths, i, span);
    const char *top = c->top == NULL ? "" : c->top;
    size_t margin = span > 1 ? (width - text_width(top)) / 2 : 0;
    pending += c->gap + margin;
    put(sink, top, width - margin, c->left || span > 1, &pending);
    i += span;
  }
  if (any)
    sink_text(sink, "\n");
  pending = 0;
  for (size_t i = 0; i < table->column_count; i++) {
    pending += table->columns[i].gap;
    put(sink, table->columns[i].bottom, widths[i], table->columns[i].left,
        &pending);
  }
  sink_style(sink, STYLE_PLAIN);
  sink_text(sink, "\n");
}

static void
print_rule(const struct text_table *table, const size_t *widths,
           struct sink *sink)
{
  size_t last = table->column_count - 1;
  size_t width = 0;
  for (size_t i = 0; i < last; i++)
    width += table->columns[i].gap + widths[i];
  size_t name = widths[last];
  sink_repeat(sink, '-',
              width + table->columns[last].gap +
                  (name < RULE_NAME_WIDTH ? name : RULE_NAME_WIDTH));
  sink_text(sink, "\n");
}

/* Writes the rows, each in its style. */
static void
print_rows(const struct text_table *table, const size_t *widths,
           struct sink *sink)
{
  size_t column = 0;
  size_t pending = 0;
  enum text_style style = STYLE_PLAIN;
  for (size_t i = 0; i < table->cell_count; i++) {
    size_t cell = table->cells[i];
    if (cell == TEXT_RULE) {
      print_rule(table, widths, sink);
      continue;
    }
    if (is_mark(cell)) {
      style = cell == TEXT_STRONG ? STYLE_STRONG : STYLE_HEAVY;
      sink_style(sink, style);
      continue;
    }
    pending += table->columns[column].gap;
    put(sink, table->text + cell, widths[column], table->columns[column].left,
        &pending);
    column = (column + 1) % table->column_count;
    if (column > 0)
      continue;
    if (style != STYLE_PLAIN)
      sink_style(sink, STYLE_PLAIN);
    style = STYLE_PLAIN;
    pending = 0;
    sink_text(sink, "\n");
  }
}

/* Says which columns of TABLE are not among those below LIMIT. */
static void
print_left_out(const struct text_table *table, unsigned limit,
               struct sink *sink)
{
  const char *before = "\n  Columns for which there is no room: ";
  for (size_t i = 0; i < table->column_count; i++) {
    const struct text_column *c = &table->columns[i];
    if (spare_of(table, i) < limit || c->top == NULL)
      continue;
    sink_text(sink, before);
    sink_text(sink, c->top);
    if (span_of(c) == 1)
      sink_format(sink, " %s", c->bottom);
    before = ", ";
  }
  if (before[0] == ',')
    sink_text(sink, ".\n  --width=0 shows them.\n");
}

void
text_table_print(const struct text_table *table, struct sink *sink)
{
  struct shown_table shown;
  size_t line_width = sink->line_width;
  if (!shown_table_init(&shown, table) || table->failed) {
    sink_fail(sink, ENOMEM);
  } else {
    choose_columns(&shown, table);
    for (; line_width > 0 && shown.limit > 1 &&
           least_width(&shown.table, shown.widths) > line_width;
         choose_columns(&shown, table))
      shown.limit--;
    if (line_width > 0)
      narrow(&shown.table, shown.widths, line_width);
    print_headings(&shown.table, shown.widths, sink);
    print_rule(&shown.table, shown.widths, sink);
    print_rows(&shown.table, shown.widths, sink);
    print_left_out(table, shown.limit, sink);
  }
  shown_table_release(&shown);
}

void
text_table_print_rows(const struct text_table *table, struct sink *sink)
{
  size_t *widths = array_zeroed(table->column_count, sizeof *widths);
  if (widths == NULL || table->failed) {
    sink_fail(sink, ENOMEM);
  } else {
    measure(table, widths);
    print_rows(table, widths, sink);
  }
  free(widths);
}
