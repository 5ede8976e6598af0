/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The cells of the lines of ALLOCATION CALL GRAPH.  report_graph.c says which
 * lines there are; here each is written into the table, column by column, and
 * here the columns are explained.
 */

#ifndef MPROF_GRAPH_CELLS_H
#define MPROF_GRAPH_CELLS_H

#include "tables/graph_entries.h"
#include "tables/text_report.h"

/* The table being filled. */
struct drawing {
  const struct reduction *reduction;
  struct graph_entries entries;
  struct text_columns columns;
  struct text_table table;
  struct relations relations; /* of the entry in hand */
};

/* Chooses the columns.  Release the table, not the rest, with
 * text_table_release. */
void graph_cells_init(struct drawing *drawing);

/* Writes the legend of the columns. */
void graph_cells_explain(const struct reduction *reduction,
                         struct sink *sink);

/* A line but for its name.  What makes no sense for it is a star. */
struct graph_line {
  bool own;     /* an entry's own line, which has an index */
  bool member;  /* one of a cycle's list of members */
  size_t index; /* of an own line */
  const struct figures *merged;  /* own: what stands for it and all below it
                                    in the merged view; NULL: a star */
  const struct figures *figures; /* from "self" on; NULL: stars */
  uint64_t fraction_of; /* frac, but on own lines: a part of so many bytes */
  uint64_t calls, more; /* what is unknown stays blank */
  char mark;            /* before MORE; NUL: nothing is there */
  const struct figures *exact; /* the exact view; NULL: stars */
};

/* Adds the cells of LINE; after that comes its name: */
void graph_line_add(struct drawing *drawing, const struct graph_line *line);

/* INDENT, the name, the index and the cycle of NODE. */
void add_node_name(struct drawing *drawing, const char *indent,
                   uint32_t node);

#endif
