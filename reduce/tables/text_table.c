/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Filling a table: cells are kept as text, one after the other, until all
 * widths are known.  text_layout.c prints them.
 */

#include "tables/text_table.h"

#include "base/array.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

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

void
text_table_init(struct text_table *table, const struct text_column *columns,
                size_t column_count)
{
  memset(table, 0, sizeof *table);
  table->columns = columns;
  table->column_count = column_count;
  table->indent = "";
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

/* Sets TEXT, of SIZE bytes, to CELL with its thousands separated, if that is
 * an integer, perhaps behind a sign or a slash. */
static bool
separate_thousands(char *text, size_t size, const char *cell)
{
  size_t sign = *cell != '\0' && strchr("+-/", *cell) != NULL;
  size_t digits = strspn(cell + sign, "0123456789");
  size_t length = sign;
  if (cell[sign + digits] != '\0' || sign + digits / 3 * 4 + 2 > size)
    return false;
  memcpy(text, cell, sign);
  for (size_t i = 0; i < digits; i++) {
    if (i > 0 && (digits - i) % 3 == 0)
      text[length++] = ',';
    text[length++] = cell[sign + i];
  }
  text[length] = '\0';
  return true;
}

const struct text_table *
text_table_for(const struct text_table *table, const struct sink *sink,
               struct text_table *human)
{
  char text[64];
  size_t column = 0;
  text_table_init(human, table->columns, table->column_count);
  if (!sink->human)
    return table;
  human->spare = table->spare;
  human->failed = table->failed;
  for (size_t i = 0; i < table->cell_count; i++) {
    if (table->cells[i] >= TEXT_HEAVY) {
      add_mark(human, table->cells[i]);
      continue;
    }
    const char *cell = table->text + table->cells[i];
    if (!table->columns[column].left &&
        separate_thousands(text, sizeof text, cell))
      cell = text;
    add_cell(human, cell, strlen(cell));
    column = (column + 1) % table->column_count;
  }
  return human;
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
  struct string_sink string;
  string_sink_init(&string);
  sink_text(&string.sink, table->indent);
  escape_name(&string.sink, name, "");
  const char *text = string_sink_text(&string);
  if (text != NULL)
    add_cell(table, text, strlen(text));
  else
    table->failed = true;
  string_sink_release(&string);
}

void
text_table_rule(struct text_table *table)
{
  add_mark(table, TEXT_RULE);
}

void
text_table_lead(struct text_table *table)
{
  add_mark(table, TEXT_STRONG);
}

void
text_table_weigh(struct text_table *table, uint64_t part, uint64_t whole)
{
  if (part > 0 && (uint128)part * 10 >= whole)
    add_mark(table, TEXT_HEAVY);
}
