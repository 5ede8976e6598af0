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
#include <stdlib.h>
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

/* A table with the widths of its columns; those that are as spare as LIMIT
 * are left out. */
struct layout {
  const struct text_table *table;
  size_t *widths;
  unsigned limit;
};

static bool
is_shown(const struct layout *layout, size_t column)
{
  return spare_of(layout->table, column) < layout->limit;
}

/* False when memory runs out; free the widths even then. */
static bool
layout_init(struct layout *layout, const struct text_table *table)
{
  size_t *widths = array_zeroed(table->column_count, sizeof *widths);
  *layout = (struct layout){table, widths, 1};
  if (widths == NULL || table->failed)
    return false;
  for (size_t i = 0; i < table->column_count; i++) {
    widen(&widths[i], table->columns[i].bottom);
    if (spare_of(table, i) >= layout->limit)
      layout->limit = spare_of(table, i) + 1;
  }
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
  return true;
}

/* The width of a line; with names CUT as far as they may be. */
static size_t
width_of_lines(const struct layout *layout, bool cut)
{
  size_t width = 0;
  for (size_t i = 0; i < layout->table->column_count; i++) {
    const struct text_column *c = &layout->table->columns[i];
    size_t own = layout->widths[i];
    if (is_shown(layout, i))
      width += c->gap +
               (cut && c->left && own > LEAST_TEXT_WIDTH ? LEAST_TEXT_WIDTH
                                                         : own);
  }
  return width;
}

/* Makes columns of text narrower until all fit into LINE_WIDTH, or none is
 * left that may be. */
static void
narrow(struct layout *layout, size_t line_width)
{
  size_t *widths = layout->widths;
  size_t count = layout->table->column_count;
  size_t width;
  while ((width = width_of_lines(layout, false)) > line_width) {
    size_t widest = count;
    size_t second = LEAST_TEXT_WIDTH;
    for (size_t i = 0; i < count; i++) {
      if (!is_shown(layout, i) || !layout->table->columns[i].left ||
          widths[i] <= LEAST_TEXT_WIDTH)
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
print_headings(const struct layout *layout, struct sink *sink)
{
  const struct text_table *table = layout->table;
  const size_t *widths = layout->widths;
  size_t pending = 0;
  bool any = false;
  sink_style(sink, STYLE_STRONG);
  for (size_t i = 0; i < table->column_count; i++)
    any = any || (is_shown(layout, i) && table->columns[i].top != NULL);
  for (size_t i = 0; any && i < table->column_count;) {
    const struct text_column *c = &table->columns[i];
    unsigned span = span_of(c);
    if (!is_shown(layout, i)) {
      i++;
      continue;
    }
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
    if (!is_shown(layout, i))
      continue;
    pending += table->columns[i].gap;
    put(sink, table->columns[i].bottom, widths[i], table->columns[i].left,
        &pending);
  }
  sink_style(sink, STYLE_PLAIN);
  sink_text(sink, "\n");
}

static void
print_rule(const struct layout *layout, struct sink *sink)
{
  size_t name = layout->widths[layout->table->column_count - 1];
  size_t width = width_of_lines(layout, false);
  if (name > RULE_NAME_WIDTH)
    width -= name - RULE_NAME_WIDTH;
  sink_repeat(sink, '-', width);
  sink_text(sink, "\n");
}

/* Writes the rows, each in its style. */
static void
print_rows(const struct layout *layout, struct sink *sink)
{
  const struct text_table *table = layout->table;
  size_t column = 0;
  size_t pending = 0;
  enum text_style style = STYLE_PLAIN;
  for (size_t i = 0; i < table->cell_count; i++) {
    size_t cell = table->cells[i];
    if (cell == TEXT_RULE) {
      print_rule(layout, sink);
      continue;
    }
    if (is_mark(cell)) {
      style = cell == TEXT_STRONG ? STYLE_STRONG : STYLE_HEAVY;
      sink_style(sink, style);
      continue;
    }
    const struct text_column *c = &table->columns[column];
    if (is_shown(layout, column)) {
      pending += c->gap;
      put(sink, table->text + cell, layout->widths[column], c->left,
          &pending);
    }
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

/* Says which columns are left out. */
static void
print_left_out(const struct layout *layout, struct sink *sink)
{
  const char *before = "\n  Columns for which there is no room: ";
  for (size_t i = 0; i < layout->table->column_count; i++) {
    const struct text_column *c = &layout->table->columns[i];
    if (is_shown(layout, i) || c->top == NULL)
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
  struct text_table human;
  struct layout layout;
  size_t line_width = sink->line_width;
  if (!layout_init(&layout, text_table_for(table, sink, &human))) {
    sink_fail(sink, ENOMEM);
  } else {
    while (line_width > 0 && layout.limit > 1 &&
           width_of_lines(&layout, true) > line_width)
      layout.limit--;
    if (line_width > 0)
      narrow(&layout, line_width);
    print_headings(&layout, sink);
    print_rule(&layout, sink);
    print_rows(&layout, sink);
    print_left_out(&layout, sink);
  }
  free(layout.widths);
  text_table_release(&human);
}

void
text_table_print_rows(const struct text_table *table, struct sink *sink)
{
  struct text_table human;
  struct layout layout;
  if (layout_init(&layout, text_table_for(table, sink, &human)))
    print_rows(&layout, sink);
  else
    sink_fail(sink, ENOMEM);
  free(layout.widths);
  text_table_release(&human);
}
