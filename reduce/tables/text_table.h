/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* A table of text whose columns are as wide as their widest cell, so that
 * long numbers stay aligned.  Names are cut, and columns left out, only to
 * fit into the width of a sink that has one; but a cell of more than 1024
 * bytes always loses its middle.  Cells are given row by row, from left to
 * right; nothing is written before text_table_print.  A table belongs to one
 * thread.
 */

#pragma once

#include "base/quote.h"
#include "base/sink.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { MOST_COLUMNS = 32 };

/* Lines of so many characters have room for separators in numbers, and for
 * columns of averages. */
enum { WIDE_LINE = 100 };

struct text_column {
  const char *top;    /* upper line of the heading, NULL: none */
  unsigned top_span;  /* columns below the upper line; 0 becomes 1 */
  const char *bottom; /* lower line of the heading */
  unsigned gap;       /* blanks in front of the column */
  bool left;          /* aligned to the left, else to the right */
};

struct text_table {
  struct text_column columns[MOST_COLUMNS];
  unsigned spare[MOST_COLUMNS]; /* where lines are too wide, columns with the
                                   highest are left out first; 0: never */
  size_t column_count;
  bool human;              /* separators in numbers: 1,234,567 */
  const char *indent;      /* stands before names */
  size_t column;           /* of the next cell */
  struct string_sink text; /* the cells, each NUL-terminated, and marks */
  /* while it is printed: */
  size_t widths[MOST_COLUMNS];
  unsigned limit; /* columns that are as spare are left out */
};

/* The marks, between rows: control characters, which cells do not have.  A
 * line across the table; the style of the next row. */
enum { TEXT_RULE = 1, TEXT_STRONG, TEXT_HEAVY };

/* Makes TABLE empty, with COLUMN_COUNT columns. */
void text_table_init(struct text_table *table,
                     const struct text_column *columns, size_t column_count);

/* Adds a column, which is left out as `spare' says. */
void text_table_column(struct text_table *table, struct text_column column,
                       unsigned spare);

/* Add the next cell: formatted text, whose control characters are escaped; a
 * number; a share as two characters; NANOSECONDS as seconds or, if they are a
 * DATE since 1970, as that in UTC; a name, behind `indent'. */
void text_table_cell(struct text_table *table, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
void text_table_number(struct text_table *table, uint64_t number);
void text_table_share(struct text_table *table, uint64_t part,
                      uint64_t whole);
void text_table_time(struct text_table *table, uint64_t nanoseconds,
                     bool date);
void text_table_name(struct text_table *table, const char *name);

/* Adds MARK; called between two rows. */
void text_table_mark(struct text_table *table, char mark);

/* Writes headings, a line and the rows, in the looks of SINK; then, if any,
 * the columns that are left out.  The last row must be complete. */
void text_table_print(struct text_table *table, struct sink *sink);

/* Writes the rows alone, and cuts nothing. */
void text_table_print_rows(struct text_table *table, struct sink *sink);

/* Sets TEXT to PART of WHOLE in two characters and a NUL: blanks for nothing,
 * " ." below one per cent, "**" for all of it, else whole per cents, rounded
 * down. */
void share_text(char text[3], uint64_t part, uint64_t whole);
