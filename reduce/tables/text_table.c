/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Filling a table: cells are kept as text, one after the other, until all
 * widths are known.  text_layout.c prints them.
 */

#include "tables/text_table.h"

#include "base/pool.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

__extension__ typedef unsigned __int128 uint128;

/* A longer text is cut in its middle, whatever the width: it can stand in
 * each row, and be what a column is as wide as.  In bytes. */
enum { MOST_TEXT = 1024 };

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
  for (size_t i = 0; i < column_count; i++)
    text_table_column(table, columns[i], 0);
  table->indent = "";
  string_sink_init(&table->text);
}

void
text_table_column(struct text_table *table, struct text_column column,
                  unsigned spare)
{
  column.top_span += column.top_span == 0;
  table->spare[table->column_count] = spare;
  table->columns[table->column_count++] = column;
}

/* Returns where a character begins in TEXT, at AT or next after it. */
static size_t
character_start(const char *text, size_t at)
{
  while (((unsigned char)text[at] & 0xc0) == 0x80)
    at++;
  return at;
}

static void
add_cell(struct text_table *table, const char *cell)
{
  struct sink *sink = &table->text.sink;
  char cut[MOST_TEXT + 16];
  size_t length = strlen(cell);
  if (length > MOST_TEXT) {
    size_t tail = character_start(cell, length - MOST_TEXT / 2);
    snprintf(cut, sizeof cut, "%.*s\xe2\x80\xa6%s",
             (int)character_start(cell, MOST_TEXT / 2), cell, cell + tail);
    cell = cut;
  }
  /* an integer, perhaps behind a sign or a slash */
  const char *digits = cell + (*cell == '+' || *cell == '-' || *cell == '/');
  if (table->human && !table->columns[table->column].left &&
      digits[strspn(digits, "0123456789")] == '\0')
    for (size_t left = strlen(cell); left > 0; left--, cell++) {
      sink_bytes(sink, cell, 1);
      if (left % 3 == 1 && left > 1 && *cell >= '0')
        sink_text(sink, ",");
    }
  else
    escape_name(sink, cell, "");
  sink_bytes(sink, "", 1);
  table->column = (table->column + 1) % table->column_count;
}

void
text_table_cell(struct text_table *table, const char *format, ...)
{
  va_list arguments;
  va_start(arguments, format);
  char *text = pool_format_v(format, arguments);
  va_end(arguments);
  add_cell(table, text);
  pool_free(text);
}

void
text_table_number(struct text_table *table, uint64_t number)
{
  text_table_cell(table, "%" PRIu64, number);
}

void
text_table_share(struct text_table *table, uint64_t part, uint64_t whole)
{
  char text[3];
  share_text(text, part, whole);
  add_cell(table, text);
}

void
text_table_time(struct text_table *table, uint64_t nanoseconds, bool date)
{
  enum { SECOND = 1000000000, MILLISECOND = 1000000 }; /* in nanoseconds */
  char seconds[32];
  struct tm parts;
  const time_t time = (time_t)(nanoseconds / SECOND);
  if (date)
    strftime(seconds, sizeof seconds, "%Y-%m-%d %H:%M:%S",
             gmtime_r(&time, &parts));
  else
    snprintf(seconds, sizeof seconds, "%" PRIu64, nanoseconds / SECOND);
  text_table_cell(table, "%s.%03u", seconds,
                  (unsigned)(nanoseconds / MILLISECOND % 1000));
}

void
text_table_name(struct text_table *table, const char *name)
{
  sink_text(&table->text.sink, table->indent);
  add_cell(table, name);
}

void
text_table_mark(struct text_table *table, char mark)
{
  sink_bytes(&table->text.sink, (const char[]){mark, '\0'}, 2);
}
