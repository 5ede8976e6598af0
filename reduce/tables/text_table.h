/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* A table of text whose columns are as wide as their widest cell, so that
 * long numbers stay aligned.  Names are cut, and columns left out, only to
 * fit into the width of a sink that has one.  Cells are given row by row,
 * from left to right; nothing is written before text_table_print.
 *
 * When memory runs out the table keeps quiet until it is printed; then the
 * sink fails.  A table belongs to one thread.
 */

#ifndef MPROF_TEXT_TABLE_H
#define MPROF_TEXT_TABLE_H

#include "base/sink.h"
#include "tables/escape.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct text_column {
  const char *top;    /* upper line of the heading, NULL: none */
  unsigned top_span;  /* columns below the upper line; 0 counts as 1 */
  const char *bottom; /* lower line of the heading */
  unsigned gap;       /* blanks in front of the column */
  bool left;          /* aligned to the left, else to the right */
};

struct text_table {
  const struct text_column *columns; /* not owned */
  size_t column_count;
  const unsigned *spare; /* not owned: of columns, where lines are too wide
                            the highest are left out first; 0, or NULL: none
                          */
  char *text;            /* owned: the cells, each NUL-terminated */
  size_t text_length, text_capacity;
  size_t *cells; /* owned: offsets into text, or marks between rows */
  size_t cell_count, cell_capacity;
  const char *indent; /* stands before names */
  bool failed;
};

/* The marks: a line across the table; the style of the next row. */
#define TEXT_RULE SIZE_MAX
#define TEXT_STRONG (SIZE_MAX - 1)
#define TEXT_HEAVY (SIZE_MAX - 2)

void text_table_init(struct text_table *table,
                     const struct text_column *columns, size_t column_count);
void text_table_release(struct text_table *table);

/* TABLE, or HUMAN as a copy of it whose numbers people read (1,234,567) if
 * SINK is for them; the caller releases HUMAN in any case. */
const struct text_table *text_table_for(const struct text_table *table,
                                        const struct sink *sink,
                                        struct text_table *human);

/* The next cell: formatted text; a number; COUNT empty ones; a share as two
 * characters; a name, of which control characters are written out. */
void text_table_cell(struct text_table *table, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
void text_table_number(struct text_table *table, uint64_t number);
void text_table_skip(struct text_table *table, size_t count);
void text_table_share(struct text_table *table, uint64_t part,
                      uint64_t whole);
void text_table_name(struct text_table *table, const char *name);

/* Between two rows: a line across the table; the row that comes leads those
 * below it; the row that comes stands for PART of WHOLE, and is one to look
 * at first when that is a tenth or more. */
void text_table_rule(struct text_table *table);
void text_table_lead(struct text_table *table);
void text_table_weigh(struct text_table *table, uint64_t part,
                      uint64_t whole);

/* Writes headings, a line and the rows, in the looks of SINK; then, if any,
 * the columns that are left out.  The last row must be complete. */
void text_table_print(const struct text_table *table, struct sink *sink);

/* Writes the rows alone, and cuts nothing. */
void text_table_print_rows(const struct text_table *table, struct sink *sink);

/* PART of WHOLE in two characters and a NUL: blanks for nothing, " ." below
 * one per cent, "**" for all of it, else whole per cents, rounded down. */
void share_text(char text[3], uint64_t part, uint64_t whole);

#endif
