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

/* A table, its cells, the widths of its columns; those that are as spare as
 * LIMIT are left out. */
struct layout {
  const struct text_table *table;
  const char *cells, *end;
  size_t widths[MOST_COLUMNS];
  unsigned limit;
};

static bool
is_mark(const char *cell)
{
  return *cell >= TEXT_RULE && *cell <= TEXT_HEAVY;
}

static bool
is_shown(const struct layout *layout, size_t column)
{
  return layout->table->spare[column] < layout->limit;
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
span_width(const struct layout *layout, size_t first)
{
  const struct text_column *columns = layout->table->columns;
  size_t width = layout->widths[first];
  for (size_t i = first + 1; i < first + columns[first].top_span; i++)
    width += columns[i].gap + layout->widths[i];
  return width;
}

static void
layout_init(struct layout *layout, struct text_table *table)
{
  const char *cells = string_sink_text(&table->text);
  *layout = (struct layout){.table = table, .cells = cells, .limit = 1};
  layout->end = cells + table->text.length;
  size_t *widths = layout->widths;
  for (size_t i = 0; i < table->column_count; i++) {
    widen(&widths[i], table->columns[i].bottom);
    if (!is_shown(layout, i))
      layout->limit = table->spare[i] + 1;
  }
  size_t column = 0;
  for (const char *c = cells; c < layout->end; c += strlen(c) + 1) {
    if (is_mark(c))
      continue;
    widen(&widths[column], c);
    column = (column + 1) % table->column_count;
  }
  for (size_t i = 0; i < table->column_count; i++) {
    const char *heading = table->columns[i].top;
    size_t top = heading == NULL ? 0 : text_width(heading);
    size_t width = span_width(layout, i);
    if (top > width)
      widths[i] += top - width;
  }
}

/* Returns the width of a line; with names CUT as far as they may be. */
static size_t
width_of_lines(const struct layout *layout, bool cut)
{
  size_t width = 0;
  for (size_t i = 0; i < layout->table->column_count; i++) {
    const struct text_column *c = &layout->table->columns[i];
    size_t own = layout->widths[i];
    if (is_shown(layout, i))
      width +=
          c->gap +
          (cut && c->left && own > LEAST_TEXT_WIDTH ? LEAST_TEXT_WIDTH : own);
  }
  return width;
}

/* Leaves columns out, then makes those of text narrower, until all fit into
 * LINE_WIDTH, or none is left that may be. */
static void
narrow(struct layout *layout, size_t line_width)
{
  size_t *widths = layout->widths;
  while (layout->limit > 1 && width_of_lines(layout, true) > line_width)
    layout->limit--;
  for (size_t width = width_of_lines(layout, false); width > line_width;
       width--) {
    size_t *widest = NULL;
    for (size_t i = 0; i < layout->table->column_count; i++)
      if (is_shown(layout, i) && layout->table->columns[i].left &&
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

/* Writes the upper line of the headings, if there is one. */
static void
print_upper_headings(const struct layout *layout, struct sink *sink)
{
  const struct text_table *table = layout->table;
  size_t pending = 0;
  bool any = false;
  for (size_t i = 0; i < table->column_count; i++)
    any = any || (is_shown(layout, i) && table->columns[i].top != NULL);
  for (size_t i = 0; any && i < table->column_count;) {
    const struct text_column *c = &table->columns[i];
    unsigned span = c->top_span;
    if (!is_shown(layout, i)) {
      i++;
      continue;
    }
    size_t width = span_width(layout, i);
    const char *top = c->top == NULL ? "" : c->top;
    size_t margin = span > 1 ? (width - text_width(top)) / 2 : 0;
    pending += c->gap + margin;
    put(sink, top, width - margin, c->left || span > 1, &pending);
    i += span;
  }
  sink_text(sink, any ? "\n" : "");
}

static void
print_headings(const struct layout *layout, struct sink *sink)
{
  size_t pending = 0;
  sink_style(sink, STYLE_STRONG);
  print_upper_headings(layout, sink);
  for (size_t i = 0; i < layout->table->column_count; i++) {
    const struct text_column *c = &layout->table->columns[i];
    if (!is_shown(layout, i))
      continue;
    pending += c->gap;
    put(sink, c->bottom, layout->widths[i], c->left, &pending);
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
  bool styled = false;
  for (const char *cell = layout->cells; cell < layout->end;
       cell += strlen(cell) + 1) {
    if (*cell == TEXT_RULE) {
      print_rule(layout, sink);
      continue;
    }
    if (is_mark(cell)) {
      styled = true;
      sink_style(sink, *cell == TEXT_STRONG ? STYLE_STRONG : STYLE_HEAVY);
      continue;
    }
    const struct text_column *c = &table->columns[column];
    if (is_shown(layout, column)) {
      pending += c->gap;
      put(sink, cell, layout->widths[column], c->left, &pending);
    }
    column = (column + 1) % table->column_count;
    if (column > 0)
      continue;
    if (styled)
      sink_style(sink, STYLE_PLAIN);
    styled = false;
    pending = 0;
    sink_text(sink, "\n");
  }
}

/* Says which columns are left out. */
static void
print_left_out(const struct layout *layout, struct sink *sink)
{
  const char *before = "\n  No room for the columns: ";
  size_t end = 0; /* of the columns below the last upper heading */
  for (size_t i = 0; i < layout->table->column_count; i++) {
    const struct text_column *c = &layout->table->columns[i];
    if (is_shown(layout, i) || i < end || strcmp(c->bottom, "%") == 0)
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
  struct layout layout;
  layout_init(&layout, table);
  if (sink->line_width > 0)
    narrow(&layout, sink->line_width);
  print_headings(&layout, sink);
  print_rule(&layout, sink);
  print_rows(&layout, sink);
  print_left_out(&layout, sink);
}

void
text_table_print_rows(struct text_table *table, struct sink *sink)
{
  struct layout layout;
  layout_init(&layout, table);
  print_rows(&layout, sink);
}
