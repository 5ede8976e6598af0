/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Lines have the same columns, but not all lines fill all of them. */

#include "tables/graph_cells.h"

#include "tables/report_gaps.h"

#include <inttypes.h>
#include <stdlib.h>

static const struct column columns[] = {
    {.text = {NULL, 0, "index", 0, true},
     .meaning = "number of the entry; behind each name stands the index of "
                "its entry"},
    {.text = {"self", 0, "+desc", 1, false},
     .meaning = "share of all bytes that the function and all below it "
                "allocated"},
    {.text = {NULL, 0, "self", 2, false},
     .share = true,
     .meaning = "own line: bytes the function itself allocated; callers: "
                "bytes that it and all below it allocated for this caller; "
                "callees: bytes that the callee and all below it allocated "
                "for it; share of all bytes"},
    {.content = CONTENT_CATEGORIES,
     .text = {NULL, 0, "of these", 2, false},
     .meaning = "those bytes by category of object",
     .spare = 2},
    {.content = CONTENT_CATEGORIES,
     .text = {NULL, 0, "frac", 2, false},
     .meaning = "the same bytes as a share of what all callers (all "
                "callees) stand for, by category",
     .spare = 4},
    {.text = {"bytes", 0, "kept", 2, false},
     .use = USE_KEPT,
     .meaning = "bytes of \"self\" that were never freed"},
    {.content = CONTENT_CATEGORIES,
     .text = {NULL, 0, "% all kept", 2, false},
     .use = USE_KEPT,
     .meaning = "their share of all bytes never freed, by category",
     .spare = 3},
    {.text = {NULL, 0, "called", 2, false},
     .use = USE_CALLS,
     .meaning = "calls that led to allocation: of the function; by this "
                "caller; of this callee by the function",
     .meaning_in_c = "allocations with the function on their chain; with "
                     "this caller of it; with this callee: each counts as "
                     "one call"},
    {.text = {"+recur", 0, "/total", 1, false},
     .use = USE_CALLS,
     .meaning = "own line, +: besides, so many calls of the function by "
                "itself, or within the cycle; callers, /: out of so many "
                "calls that the caller made; callees, /: out of so many that "
                "the callee received",
     .meaning_in_c = "own line, +: besides, so many with the function called "
                     "by itself, or within the cycle; callers, /: out of so "
                     "many with any callee of the caller; callees, /: out "
                     "of so many with any caller of the callee"},
    {.text = {"exact", 0, "bytes", 2, false},
     .meaning = "bytes allocated while the function, or this caller with "
                "this callee, was on the chain, each allocation counted once "
                "however deep the recursion; share of all bytes",
     .spare = 1},
    {.text = {NULL, 0, "%", 1, false}, .spare = 1},
    {.text = {NULL, 0, "name", 2, true},
     .meaning = "own line at the left, callers and callees further in"},
};

enum { COLUMN_COUNT = sizeof columns / sizeof columns[0] };

void
graph_cells_init(struct drawing *drawing)
{
  text_columns_begin(&drawing->columns, &drawing->table, drawing->reduction,
                     columns, COLUMN_COUNT);
}

void
graph_cells_explain(const struct reduction *reduction, struct sink *sink)
{
  text_columns_explain(reduction, columns, COLUMN_COUNT, sink);
}

static void
add_stars(struct drawing *drawing, size_t count)
{
  for (; count > 0; count--)
    text_table_cell(&drawing->table, "*");
}

/* Adds bytes and their share, or stars. */
static void
add_bytes(struct drawing *drawing, const struct figures *figures)
{
  if (figures == NULL) {
    add_stars(drawing, 2);
    return;
  }
  text_table_number(&drawing->table, figures->bytes);
  text_table_share(&drawing->table, figures->bytes,
                   drawing->reduction->selection.total.bytes);
}

/* Adds the cells from "self" up to the calls. */
static void
add_figures(struct drawing *drawing, const struct graph_line *line)
{
  struct text_table *table = &drawing->table;
  const struct figures *figures = line->figures;
  bool kept = column_used(drawing->reduction, USE_KEPT);
  add_bytes(drawing, figures);
  if (figures == NULL) {
    add_stars(drawing, 2 * CATEGORY_COUNT + (kept ? 1 + CATEGORY_COUNT : 0));
    return;
  }
  add_category_cells(table, figures->category_bytes, figures->bytes);
  if (!line->own)
    add_category_cells(table, figures->category_bytes, line->fraction_of);
  for (unsigned i = 0; line->own && i < CATEGORY_COUNT; i++)
    text_table_cell(table, "--");
  if (kept) {
    text_table_number(table, figures->kept_bytes);
    add_category_cells(table, figures->category_kept,
                       drawing->reduction->selection.total.kept_bytes);
  }
}

void
graph_line_add(struct drawing *drawing, const struct graph_line *line)
{
  struct text_table *table = &drawing->table;
  if (line->own) {
    text_table_lead(table);
    text_table_cell(table, "[%zu]", line->index);
  } else {
    text_table_skip(table, 1);
  }
  if (line->own && line->merged != NULL)
    text_table_share(table, line->merged->bytes,
                     drawing->reduction->selection.total.bytes);
  else
    text_table_cell(table, "%s", line->own || line->member ? "*" : "");
  add_figures(drawing, line);
  if (column_used(drawing->reduction, USE_CALLS)) {
    report_calls(table, line->calls);
    if (line->mark == '\0' || line->more == CALLS_UNKNOWN)
      text_table_skip(table, 1);
    else
      text_table_cell(table, "%c%" PRIu64, line->mark, line->more);
  }
  add_bytes(drawing, line->exact);
}

void
add_node_name(struct drawing *drawing, const char *indent, uint32_t node)
{
  const struct graph_node *n = &drawing->reduction->graph.nodes[node];
  struct string_sink text;
  string_sink_init(&text);
  sink_format(&text.sink, "%s%s [%zu]", indent, n->name,
              drawing->entries.index_of_node[node]);
  if (n->cycle != 0)
    sink_format(&text.sink, " <cycle %" PRIu32 ">", n->cycle);
  const char *name = string_sink_text(&text);
  if (name == NULL)
    drawing->table.failed = true;
  text_table_name(&drawing->table, name == NULL ? "" : name);
  string_sink_release(&text);
}
