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

/* A line begins with one of these, which fill it up to the calls:
 *
 * an entry's own line; MERGED is what stands for it and all below it in the
 * merged view, NULL when that makes no sense; SELF what it itself allocated
 */
void add_own_cells(struct drawing *drawing, size_t index,
                   const struct figures *merged, const struct figures *self);
/* a relation with FIGURES; frac is their part of FRACTION_OF bytes.  One
 * INSIDE a cycle shows nothing of them */
void add_relation_cells(struct drawing *drawing,
                        const struct figures *figures, uint64_t fraction_of,
                        bool inside);
/* a member of a cycle that allocated CYCLE_BYTES itself, the member SELF. */
void add_member_cells(struct drawing *drawing, const struct figures *self,
                      uint64_t cycle_bytes);

/* Then come COUNT calls; MARK and MORE beside them, unless MARK is NUL.  What
 * is unknown stays blank */
void add_calls(struct drawing *drawing, uint64_t count, char mark,
               uint64_t more);
/* the exact view, BYTES or nothing that makes sense */
void add_bytes(struct drawing *drawing, uint64_t bytes);
void add_stars(struct drawing *drawing, size_t count);
/* and the name: INDENT, the name, the index and the cycle of NODE. */
void add_node_name(struct drawing *drawing, const char *indent,
                   uint32_t node);

#endif
