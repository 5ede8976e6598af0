/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Printing a table: widths of columns, names that are cut to fit, styles.
 *
 * Widths count Unicode characters, each as one column.  If the sink has a
 * width, text columns give way until lines fit, the widest first, none below
 * LEAST_TEXT_WIDTH; then columns are left out that can be spared.  A name
 * that does not fit is cut in its middle, since names begin with a package
 * and end with what tells them apart.  Blanks at the end of a line are not
 * written.
 */

#include "tables/text_table.h"

#include <string.h>

enum {
  RULE_NAME_WIDTH = 24, /* how far lines reach below the last column */
  LEAST_TEXT_WIDTH = 30
};

static bool
is_mark(const char *cell)
{
  return *cell >= TEXT_RULE && *cell <= TEXT_HEAVY;
}

static bool
is_shown(const struct text_table *table, size_t column)
{
  return table->spare[column] < table->limit;
}

/* Returns the number of characters of TEXT. */
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
  size_t needed = text_width(text);
  if (needed > *width)
    *width = needed;
}

/* Returns the width below the upper heading of the column FIRST. */
static size_t
span_width(const struct text_table *table, size_t first)
{
  const struct text_column *columns = table->columns;
  size_t width = table->widths[first];
  for (size_t i = first + 1; i < first + columns[first].top_span; i++)
    width += columns[i].gap + table->widths[i];
  return width;
}

/* Finds the widths of all columns, and the limit that leaves none out. */
static void
find_widths(struct text_table *table)
{
  const char *cells = string_sink_text(&table->text);
  const char *end = cells + table->text.length;
  size_t *widths = table->widths;
  table->limit = 1;
  for (size_t i = 0; i < table->column_count; i++) {
    widen(&widths[i], table->columns[i].bottom);
    if (!is_shown(table, i))
      table->limit = table->spare[i] + 1;
  }
  size_t column = 0;
  for (const char *c = cells; c < end; c += strlen(c) + 1) {
    if (is_mark(c))
      continue;
    widen(&widths[column], c);
    column = (column + 1) % table->column_count;
  }
  for (size_t i = 0; i < table->column_count; i++) {
    const char *heading = table->columns[i].top;
    size_t top = heading == NULL ? 0 : text_width(heading);
    size_t width = span_width(table, i);
    if (top > width)
      widths[i] += top - width;
  }
}

/* Returns the width of a line; with names CUT as far as they may be. */
static size_t
width_of_lines(const struct text_table *table, bool cut)
{
  size_t width = 0;
  for (size_t i = 0; i < table->column_count; i++) {
    const struct text_column *c = &table->columns[i];
    size_t own = table->widths[i];
    if (is_shown(table, i))
      width +=
          c->gap +
          (cut && c->left && own > LEAST_TEXT_WIDTH ? LEAST_TEXT_WIDTH : own);
  }
  return width;
}

/* Leaves columns out, then makes those of text narrower, until all fit into
 * LINE_WIDTH, or none is left that may be. */
static void
narrow(struct text_table *table, size_t line_width)
{
  size_t *widths = table->widths;
  while (table->limit > 1 && width_of_lines(table, true) > line_width)
    table->limit--;
  for (size_t width = width_of_lines(table, false); width > line_width;
       width--) {
    size_t *widest = NULL;
    for (size_t i = 0; i < table->column_count; i++)
      if (is_shown(table, i) && table->columns[i].left &&
          widths[i] > (widest == NULL ? LEAST_TEXT_WIDTH : *widest))
        widest = &widths[i];
    if (widest == NULL)
      return;
    --*widest;
  }
}

/* Returns the part of TEXT before its character COUNT. */
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

/* Writes TEXT aligned in WIDTH, its middle left out when it is too long,
 * PENDING blanks before it; blanks are held back until something follows
 * them. */
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
    if (used > width) {
      size_t tail = (width - 1) / 2;
      sink_bytes(sink, text, characters_length(text, width - 1 - tail));
      sink_text(sink, "\xe2\x80\xa6"); /* an ellipsis */
      text += characters_length(text, used - tail);
    }
    sink_text(sink, text);
  }
  if (left)
    *pending += padding;
}

/* Writes TEXT as the cell of COLUMN, if that shows. */
static void
put_cell(const struct text_table *table, size_t column, const char *text,
         size_t *pending, struct sink *sink)
{
  const struct text_column *c = &table->columns[column];
  if (!is_shown(table, column))
    return;
  *pending += c->gap;
  put(sink, text, table->widths[column], c->left, pending);
}

/* Writes both lines of the headings; one, where nothing is in the upper. */
static void
print_headings(const struct text_table *table, struct sink *sink)
{
  const char *end_of_upper = "";
  size_t pending = 0;
  sink_style(sink, STYLE_STRONG);
  for (size_t i = 0; i < table->column_count; i++)
    if (is_shown(table, i) && table->columns[i].top != NULL)
      end_of_upper = "\n";
  for (size_t i = 0; *end_of_upper != '\0' && i < table->column_count; i++) {
    const struct text_column *c = &table->columns[i];
    if (!is_shown(table, i))
      continue;
    const char *top = c->top == NULL ? "" : c->top;
    const size_t width = span_width(table, i);
    size_t margin = c->top_span > 1 ? (width - text_width(top)) / 2 : 0;
    pending += c->gap + margin;
    put(sink, top, width - margin, c->left || c->top_span > 1, &pending);
    i += c->top_span - 1;
  }
  sink_text(sink, end_of_upper);
  pending = 0;
  for (size_t i = 0; i < table->column_count; i++)
    put_cell(table, i, table->columns[i].bottom, &pending, sink);
  sink_style(sink, STYLE_PLAIN);
  sink_text(sink, "\n");
}

static void
print_rule(const struct text_table *table, struct sink *sink)
{
  size_t name = table->widths[table->column_count - 1];
  size_t width = width_of_lines(table, false);
  if (name > RULE_NAME_WIDTH)
    width -= name - RULE_NAME_WIDTH;
  sink_repeat(sink, '-', width);
  sink_text(sink, "\n");
}

/* Writes the rows, each in its style. */
static void
print_rows(struct text_table *table, struct sink *sink)
{
  size_t column = 0;
  size_t pending = 0;
  bool styled = false;
  const char *cell = string_sink_text(&table->text);
  const char *end = cell + table->text.length;
  for (; cell < end; cell += strlen(cell) + 1) {
    if (*cell == TEXT_RULE) {
      print_rule(table, sink);
    } else if (is_mark(cell)) {
      sink_style(sink, *cell == TEXT_STRONG ? STYLE_STRONG : STYLE_HEAVY);
      styled = true;
    } else {
      put_cell(table, column, cell, &pending, sink);
      column = (column + 1) % table->column_count;
      if (column > 0)
        continue;
      if (styled)
        sink_style(sink, STYLE_PLAIN);
      sink_text(sink, "\n");
      styled = false;
      pending = 0;
    }
  }
}

/* Says which columns are left out. */
static void
print_left_out(const struct text_table *table, struct sink *sink)
{
  const char *before = "\n  No room for the columns: ";
  size_t end = 0; /* of the columns below the last upper heading */
  for (size_t i = 0; i < table->column_count; i++) {
    const struct text_column *c = &table->columns[i];
    if (is_shown(table, i) || i < end || strcmp(c->bottom, "%") == 0)
      continue;
    end = i + c->top_span;
    sink_format(sink, "%s%s%s%s", before, c->top == NULL ? "" : c->top,
                c->top == NULL || c->top_span > 1 ? "" : " ",
                c->top_span > 1 ? "" : c->bottom);
    before = ", ";
  }
  if (before[0] == ',')
    sink_text(sink, ".\n  --width=0 shows them.\n");
}

void
text_table_print(struct text_table *table, struct sink *sink)
{
  find_widths(table);
  if (sink->line_width > 0)
    narrow(table, sink->line_width);
  print_headings(table, sink);
  print_rule(table, sink);
  print_rows(table, sink);
  print_left_out(table, sink);
}

void
text_table_print_rows(struct text_table *table, struct sink *sink)
{
  find_widths(table);
  print_rows(table, sink);
}
