/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* ALLOCATION CALL GRAPH: an entry for each function, between its callers
 * above and its callees below.
 *
 * Two views stand side by side.  The columns up to the calls are the merged
 * view: functions that call each other in a circle are one node, and fields
 * that would mix up what they did for each other show "*".  The last pair of
 * numbers is the exact view, counted once a chain: it needs no merging and
 * holds for members of cycles too.
 *
 * A cycle is listed twice under one index: as one function, with its callers
 * and callees outside, and as the list of its members with what each
 * allocated itself.  Each member has an entry of its own, too.
 */

#include "tables/graph_cells.h"
#include "tables/report.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Blanks in front of names: relations stand further in than entries. */
static const char *const entry_indent = "";
static const char *const relation_indent = "    ";

/* What the sum line of callers or callees adds up. */
struct relation_sum {
  struct figures figures; /* of all relations with the outside */
  size_t rows;
  uint64_t calls;
};

static struct relation_sum
sum_relations(const struct relations *relations, const struct figures *root,
              uint64_t root_calls)
{
  struct relation_sum sum = {.figures = *root,
                             .rows = root->bytes != 0 || root->allocs != 0 ||
                                     root_calls != 0,
                             .calls = root_calls};
  for (size_t i = 0; i < relations->count; i++) {
    if (relations->items[i].inside)
      continue;
    figures_add(&sum.figures, &relations->items[i].figures);
    sum.calls = calls_add(sum.calls, relations->items[i].calls);
    sum.rows++;
  }
  return sum;
}

/* A line for all chains with FIGURES that come from outside. */
static void
draw_outside(struct drawing *drawing, const struct figures *figures,
             uint64_t calls, const struct relation_sum *sum, const char *name)
{
  graph_line_add(drawing,
                 &(struct graph_line){.figures = figures,
                                      .fraction_of = sum->figures.bytes,
                                      .calls = calls,
                                      .exact = figures});
  text_table_cell(&drawing->table, "%s%s", relation_indent, name);
}

static void
draw_sum(struct drawing *drawing, const struct relation_sum *sum)
{
  if (sum->rows > 1)
    draw_outside(drawing, &sum->figures, sum->calls, sum, "all");
}

/* Whether RELATION is folded into a "(N more)" line of an entry that has
 * ENTRY_BYTES. */
static bool
is_small(const struct drawing *drawing, const struct relation *relation,
         uint64_t entry_bytes)
{
  return !share_reached(relation->figures.bytes, entry_bytes,
                        drawing->reduction->options->min_share);
}

/* How many relations that are INSIDE a cycle, or not, are too small for a
 * line of their own.  One alone would save no line. */
static size_t
count_small(const struct drawing *drawing, uint64_t entry_bytes, bool inside)
{
  size_t count = 0;
  for (size_t i = 0; i < drawing->relations.count; i++)
    count += drawing->relations.items[i].inside == inside &&
             is_small(drawing, &drawing->relations.items[i], entry_bytes);
  return count > 1 ? count : 0;
}

/* Writes the line for the COUNT relations that are too small.  Figures of
 * relations within a cycle overlap and cannot be added up. */
static void
draw_rest(struct drawing *drawing, uint64_t entry_bytes, uint64_t fraction_of,
          bool inside, size_t count)
{
  struct figures rest = {0};
  uint64_t calls = 0;
  if (count == 0)
    return;
  for (size_t i = 0; i < drawing->relations.count; i++) {
    const struct relation *relation = &drawing->relations.items[i];
    if (relation->inside != inside ||
        !is_small(drawing, relation, entry_bytes))
      continue;
    figures_add(&rest, &relation->figures);
    calls = calls_add(calls, relation->calls);
  }
  graph_line_add(drawing,
                 &(struct graph_line){.figures = inside ? NULL : &rest,
                                      .fraction_of = fraction_of,
                                      .calls = calls,
                                      .exact = inside ? NULL : &rest});
  text_table_cell(&drawing->table, "%s(%zu more%s)", relation_indent, count,
                  inside ? " in the cycle" : "");
}

/* The relations of an entry that has ENTRY_BYTES; those with too small a
 * share of these become one line, farthest from the entry. */
static void
draw_relations(struct drawing *drawing, uint64_t entry_bytes,
               uint64_t fraction_of, bool callers)
{
  const struct relations *relations = &drawing->relations;
  size_t small[2];
  for (int inside = 0; inside < 2; inside++) {
    small[inside] = count_small(drawing, entry_bytes, inside != 0);
    if (callers)
      draw_rest(drawing, entry_bytes, fraction_of, inside != 0,
                small[inside]);
  }
  for (size_t i = 0; i < relations->count; i++) {
    const struct relation *relation = &relations->items[i];
    if (small[relation->inside] > 0 &&
        is_small(drawing, relation, entry_bytes))
      continue;
    graph_line_add(drawing, &(struct graph_line){
                                .figures = relation->inside
                                               ? NULL
                                               : &relation->figures,
                                .fraction_of = fraction_of,
                                .calls = relation->calls,
                                .mark = '/',
                                .more = relation->all_calls,
                                .exact = &relation->figures});
    add_node_name(drawing, relation_indent, relation->node);
  }
  for (int inside = 0; inside < 2 && !callers; inside++)
    draw_rest(drawing, entry_bytes, fraction_of, inside != 0, small[inside]);
}

static void
draw_callers(struct drawing *drawing, uint64_t entry_bytes,
             const struct figures *root, uint64_t root_calls)
{
  if (drawing->relations.count == 0)
    return;
  struct relation_sum sum =
      sum_relations(&drawing->relations, root, root_calls);
  draw_sum(drawing, &sum);
  if (figures_any(root) || root_calls != 0) /* others come from callers */
    draw_outside(drawing, root, root_calls, &sum, "<root>");
  draw_relations(drawing, entry_bytes, sum.figures.bytes, true);
}

static void
draw_callees(struct drawing *drawing, uint64_t entry_bytes)
{
  static const struct figures nothing = {0};
  struct relation_sum sum = sum_relations(&drawing->relations, &nothing, 0);
  draw_relations(drawing, entry_bytes, sum.figures.bytes, false);
  draw_sum(drawing, &sum);
}

static bool
draw_node(struct drawing *drawing, uint32_t index)
{
  const struct call_graph *graph = &drawing->reduction->graph;
  const struct graph_node *node = &graph->nodes[index];
  if (!graph_entries_of_node(&drawing->entries, index, true,
                             &drawing->relations))
    return false;
  draw_callers(drawing, node->inclusive.bytes, &node->root, node->root_calls);
  uint64_t recursive = call_graph_self_calls(graph, index);
  graph_line_add(
      drawing, &(struct graph_line){
                   .own = true,
                   .index = drawing->entries.index_of_node[index],
                   .merged = node->cycle == 0 ? &node->inclusive : NULL,
                   .figures = &node->self,
                   .calls = call_graph_other_calls(graph, index),
                   .mark = recursive == 0 ? '\0' : '+',
                   .more = recursive,
                   .exact = &node->inclusive});
  add_node_name(drawing, entry_indent, index);
  if (!graph_entries_of_node(&drawing->entries, index, false,
                             &drawing->relations))
    return false;
  draw_callees(drawing, node->inclusive.bytes);
  return true;
}

/* A line in the list of CYCLE's members. */
static void
draw_member(struct drawing *drawing, const struct cycle *cycle,
            const struct figures *self, uint64_t calls, uint64_t recursive,
            const struct figures *exact)
{
  graph_line_add(drawing,
                 &(struct graph_line){.member = true,
                                      .figures = self,
                                      .fraction_of = cycle->self.bytes,
                                      .calls = calls,
                                      .mark = recursive == 0 ? '\0' : '+',
                                      .more = recursive,
                                      .exact = exact});
}

/* The line of CYCLE itself, but for its name; it has two. */
static void
draw_cycle_line(struct drawing *drawing, const struct cycle *cycle,
                size_t place)
{
  graph_line_add(
      drawing,
      &(struct graph_line){.own = true,
                           .index = drawing->entries.index_of_cycle[place],
                           .merged = &cycle->inclusive,
                           .figures = &cycle->self,
                           .calls = cycle->outside_calls,
                           .mark = cycle->inside_calls == 0 ? '\0' : '+',
                           .more = cycle->inside_calls,
                           .exact = &cycle->inclusive});
}

/* The second listing of CYCLE: its members. */
static void
draw_members(struct drawing *drawing, const struct cycle *cycle, size_t place)
{
  const struct reduction *reduction = drawing->reduction;
  const struct call_graph *graph = &reduction->graph;
  struct figures rest = {0};
  uint64_t rest_calls = 0;
  size_t rest_count = 0;
  draw_cycle_line(drawing, cycle, place);
  text_table_cell(&drawing->table, "%smembers of <cycle %zu>", entry_indent,
                  place + 1);
  for (size_t i = 0; i < cycle->member_count; i++) {
    uint32_t member = reduction->cycles.members[cycle->first_member + i];
    const struct graph_node *node = &graph->nodes[member];
    uint64_t calls = call_graph_other_calls(graph, member);
    if (share_reached(node->inclusive.bytes, reduction->selection.total.bytes,
                      reduction->options->min_share)) {
      draw_member(drawing, cycle, &node->self, calls,
                  call_graph_self_calls(graph, member), &node->inclusive);
      add_node_name(drawing, relation_indent, member);
    } else {
      figures_add(&rest, &node->self);
      rest_calls = calls_add(rest_calls, calls);
      rest_count++;
    }
  }
  if (rest_count > 0) {
    draw_member(drawing, cycle, &rest, rest_calls, 0, NULL);
    text_table_cell(&drawing->table, "%s(%zu more)", relation_indent,
                    rest_count);
  }
}

static bool
draw_cycle(struct drawing *drawing, const struct cycle *cycle)
{
  size_t place = (size_t)(cycle - drawing->reduction->cycles.items);
  if (!graph_entries_of_cycle(&drawing->entries, cycle, true,
                              &drawing->relations))
    return false;
  draw_callers(drawing, cycle->inclusive.bytes, &cycle->root,
               cycle->root_calls);
  draw_cycle_line(drawing, cycle, place);
  text_table_cell(&drawing->table, "%s<cycle %zu> as one function [%zu]",
                  entry_indent, place + 1,
                  drawing->entries.index_of_cycle[place]);
  if (!graph_entries_of_cycle(&drawing->entries, cycle, false,
                              &drawing->relations))
    return false;
  draw_callees(drawing, cycle->inclusive.bytes);
  text_table_rule(&drawing->table);
  draw_members(drawing, cycle, place);
  return true;
}

static bool
draw_entries(struct drawing *drawing)
{
  const struct ranking *ranking = &drawing->entries.ranking;
  for (size_t i = 0; i < ranking->shown; i++) {
    const struct ranking_row *row = &ranking->rows[i];
    const struct cycle *cycle = graph_entries_cycle(&drawing->entries, row);
    if (i > 0)
      text_table_rule(&drawing->table);
    if (cycle != NULL ? !draw_cycle(drawing, cycle)
                      : !draw_node(drawing, (uint32_t)row->item))
      return false;
  }
  return true;
}

/* Makes the note on what is left out count what those functions themselves
 * allocated: their inclusive figures overlap. */
static void
count_left_out(struct drawing *drawing)
{
  const struct reduction *reduction = drawing->reduction;
  struct ranking *ranking = &drawing->entries.ranking;
  ranking->left_out_bytes = reduction->selection.total.bytes;
  ranking->left_out_allocs = reduction->selection.total.allocs;
  for (size_t i = 0; i < ranking->shown; i++) {
    size_t item = ranking->rows[i].item;
    if (item >= reduction->graph.node_count)
      continue;
    const struct figures *self = &reduction->graph.nodes[item].self;
    ranking->left_out_bytes -= self->bytes;
    ranking->left_out_allocs -= self->allocs;
  }
}

static void
write_legend(const struct reduction *reduction, struct sink *sink)
{
  report_legend_text(reduction, sink,
                     "An entry is a function (the line with an index at the "
                     "left), its callers above it and its callees below it, "
                     "the heaviest next to it.  To follow a caller or a "
                     "callee, look for its index at the left.");
  graph_cells_explain(reduction, sink);
  report_legend(reduction, sink, "all",
                "sum of the callers, or of the callees");
  report_legend(reduction, sink, "<root>", "no caller shows");
  report_legend(reduction, sink, "(N more)",
                "callers or callees with a small share of this entry");
  if (reduction->cycles.count > 0) {
    report_legend(reduction, sink, "<cycle N>",
                  "functions that call each other in a circle, taken as one; "
                  "listed twice: with its callers and callees, and with its "
                  "members and what each itself allocated");
    report_legend(reduction, sink, "*",
                  "makes no sense within a cycle; see exact");
  }
}

void
report_graph(const struct reduction *reduction, struct sink *sink)
{
  struct drawing drawing = {.reduction = reduction};
  graph_cells_init(&drawing);
  if (!graph_entries_init(&drawing.entries, reduction) ||
      !draw_entries(&drawing))
    sink_fail(sink, ENOMEM);
  report_heading(sink, "ALLOCATION CALL GRAPH");
  text_table_print(&drawing.table, sink);
  count_left_out(&drawing);
  ranking_note(&drawing.entries.ranking, reduction->options, "entries",
               "allocations", true, sink);
  write_legend(reduction, sink);
  text_table_release(&drawing.table);
  graph_entries_release(&drawing.entries);
  free(drawing.relations.items);
}
