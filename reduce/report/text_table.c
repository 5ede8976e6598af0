/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Cells are kept as text in one string until all widths are known.  Widths
 * count Unicode characters, each as one column.  Blanks at the end of a line
 * are not written.
 */

#include "report/text_table.h"

#include "profile/array.h"
#include "profile/names.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* Stands in the place of a row's first cell for a line across the table. */
static const size_t rule_mark = SIZE_MAX;

enum { RULE_NAME_WIDTH = 24 }; /* how far lines reach below the last column */

__extension__ typedef unsigned __int128 uint128;

void
share_text(char text[3], uint64_t part, uint64_t whole)
{
  if (part == 0 || whole == 0) {
    memcpy(text, "  ", 3);
  } else if (part >= whole) {
    memcpy(text, "**", 3);
  } else {
    unsigned percent = (unsigned)((uint128)part * 100 / whole);
    text[0] = percent >= 10 ? (char)('0' + percent / 10) : ' ';
    text[1] = percent == 0 ? '.' : (char)('0' + percent % 10);
    text[2] = '\0';
  }
}

/* How many bytes at NAME are printable ASCII that needs no escape. */
static size_t
plain_length(const char *name, const char *extra)
{
  size_t length = 0;
  while (name[length] >= 0x20 && name[length] < 0x7f &&
         (*extra == '\0' ||
          (name[length] != '\\' && strchr(extra, name[length]) == NULL)))
    length++;
  return length;
}

/* Writes the one character at NAME, of which EXTRA may ask for an escape;
 * gives back its length. */
static size_t
escape_character(struct sink *sink, const char *name, const char *extra)
{
  unsigned char byte = (unsigned char)*name;
  size_t length = utf8_length(name);
  if (length == 0)
    length = 1;
  if (byte == '\n')
    sink_text(sink, "\\n");
  else if (byte == '\t')
    sink_text(sink, "\\t");
  else if (byte == '\r')
    sink_text(sink, "\\r");
  else if (byte == '\\' && *extra != '\0')
    sink_text(sink, "\\\\");
  else if (byte < 0x20 || byte == 0x7f || strchr(extra, byte) != NULL)
    sink_format(sink, "\\x%02x", byte);
  else if (length == 2 && byte == 0xc2 && (unsigned char)name[1] < 0xa0)
    sink_format(sink, "\\u%04x", (unsigned)(unsigned char)name[1]);
  else if (length == 3 && (strncmp(name, "\xe2\x80\xa8", 3) == 0 ||
                           strncmp(name, "\xe2\x80\xa9", 3) == 0))
    sink_text(sink, name[2] == '\xa8' ? "\\u2028" : "\\u2029");
  else
    sink_bytes(sink, name, length);
  return length;
}

void
escape_name(struct sink *sink, const char *name, const char *extra)
{
  while (*name != '\0') {
    size_t plain = plain_length(name, extra);
    sink_bytes(sink, name, plain);
    name += plain;
    if (*name != '\0')
      name += escape_character(sink, name, extra);
  }
}

void
text_table_init(struct text_table *table, const struct text_column *columns,
                size_t column_count)
{
  memset(table, 0, sizeof *table);
  table->columns = columns;
  table->column_count = column_count;
}

void
text_table_release(struct text_table *table)
{
  free(table->text);
  free(table->cells);
  memset(table, 0, sizeof *table);
}

static void
add_mark(struct text_table *table, size_t mark)
{
  size_t *cells = array_reserve(table->cells, &table->cell_capacity,
                                table->cell_count + 1, sizeof *cells);
  if (cells == NULL) {
    table->failed = true;
    return;
  }
  table->cells = cells;
  cells[table->cell_count++] = mark;
}

static void
add_cell(struct text_table *table, const char *cell, size_t length)
{
  char *text = array_reserve(table->text, &table->text_capacity,
                             table->text_length + length + 1, 1);
  if (text == NULL) {
    table->failed = true;
    return;
  }
  table->text = text;
  memcpy(text + table->text_length, cell, length);
  text[table->text_length + length] = '\0';
  add_mark(table, table->text_length);
  table->text_length += length + 1;
}

void
text_table_cell(struct text_table *table, const char *format, ...)
{
  char text[256]; /* formatted cells are numbers and fixed words */
  va_list arguments;
  va_start(arguments, format);
  int length = vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  if (length < 0 || (size_t)length >= sizeof text)
    table->failed = true;
  else
    add_cell(table, text, (size_t)length);
}

void
text_table_number(struct text_table *table, uint64_t number)
{
  text_table_cell(table, "%llu", (unsigned long long)number);
}

void
text_table_skip(struct text_table *table, size_t count)
{
  for (; count > 0; count--)
    add_cell(table, "", 0);
}

void
text_table_share(struct text_table *table, uint64_t part, uint64_t whole)
{
  char text[3];
  share_text(text, part, whole);
  add_cell(table, text, 2);
}

void
text_table_name(struct text_table *table, const char *name)
{
  text_table_indented_name(table, "", name);
}

void
text_table_indented_name(struct text_table *table, const char *indent,
                         const char *name)
{
  struct sink_string string = {0};
  struct sink sink;
  sink_init(&sink, sink_write_string, &string);
  sink_text(&sink, indent);
  escape_name(&sink, name, "");
  if (sink_flush(&sink))
    add_cell(table, string.text == NULL ? "" : string.text, string.length);
  else
    table->failed = true;
  free(string.text);
}

void
text_table_rule(struct text_table *table)
{
  add_mark(table, rule_mark);
}

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
    if (table->cells[i] == rule_mark)
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

/* Writes TEXT aligned in WIDTH, PENDING blanks before it; blanks are held
 * back until something follows them. */
static void
put(struct sink *sink, const char *text, size_t width, bool left,
    size_t *pending)
{
  size_t used = text_width(text);
  size_t padding = width > used ? width - used : 0;
  size_t length = strlen(text);
  size_t start = strspn(text, " ");
  if (!left)
    *pending += padding;
  if (start < length) {
    sink_repeat(sink, ' ', *pending + start);
    sink_bytes(sink, text + start, length - start);
    *pending = 0;
  } else {
    *pending += length;
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

static void
print_table(const struct text_table *table, bool headings, struct sink *sink)
{
  size_t *widths = array_zeroed(table->column_count, sizeof *widths);
  if (widths == NULL || table->failed) {
    free(widths);
    sink_fail(sink, ENOMEM);
    return;
  }
  measure(table, widths);
  if (headings) {
    print_headings(table, widths, sink);
    print_rule(table, widths, sink);
  }
  size_t column = 0;
  size_t pending = 0;
  for (size_t i = 0; i < table->cell_count; i++) {
    if (table->cells[i] == rule_mark) {
      print_rule(table, widths, sink);
      continue;
    }
    pending += table->columns[column].gap;
    put(sink, table->text + table->cells[i], widths[column],
        table->columns[column].left, &pending);
    column = (column + 1) % table->column_count;
    if (column == 0) {
      pending = 0;
      sink_text(sink, "\n");
    }
  }
  free(widths);
}

void
text_table_print(const struct text_table *table, struct sink *sink)
{
  print_table(table, true, sink);
}

void
text_table_print_rows(const struct text_table *table, struct sink *sink)
{
  print_table(table, false, sink);
}
