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

static void
draw_sum(struct drawing *drawing, const struct relation_sum *sum)
{
  if (sum->rows < 2)
    return;
  add_relation_cells(drawing, &sum->figures, sum->figures.bytes, false);
  add_calls(drawing, sum->calls, '\0', 0);
  add_bytes(drawing, sum->figures.bytes);
  text_table_cell(&drawing->table, "%sall", relation_indent);
}

/* Chains that start in the entry, when others come from callers. */
static void
draw_root(struct drawing *drawing, const struct figures *root,
          uint64_t root_calls, const struct relation_sum *sum)
{
  if (root->bytes == 0 && root->allocs == 0 && root_calls == 0)
    return;
  add_relation_cells(drawing, root, sum->figures.bytes, false);
  add_calls(drawing, root_calls, '\0', 0);
  add_bytes(drawing, root->bytes);
  text_table_cell(&drawing->table, "%s<root>", relation_indent);
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
  add_relation_cells(drawing, &rest, fraction_of, inside);
  add_calls(drawing, calls, '\0', 0);
  if (inside)
    add_stars(drawing, 2);
  else
    add_bytes(drawing, rest.bytes);
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
    add_relation_cells(drawing, &relation->figures, fraction_of,
                       relation->inside);
    add_calls(drawing, relation->calls, '/', relation->all_calls);
    add_bytes(drawing, relation->figures.bytes);
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
  draw_root(drawing, root, root_calls, &sum);
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

/* An entry's own line up to the name.  MERGED is its share of the merged
 * view, NULL when that makes no sense. */
static void
draw_own_line(struct drawing *drawing, size_t index,
              const struct figures *merged, const struct figures *self,
              uint64_t calls, uint64_t recursive_calls,
              const struct figures *inclusive)
{
  add_own_cells(drawing, index, merged, self);
  add_calls(drawing, calls, recursive_calls == 0 ? '\0' : '+',
            recursive_calls);
  add_bytes(drawing, inclusive->bytes);
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
  draw_own_line(drawing, drawing->entries.index_of_node[index],
                node->cycle == 0 ? &node->inclusive : NULL, &node->self,
                call_graph_other_calls(graph, index),
                call_graph_self_calls(graph, index), &node->inclusive);
  add_node_name(drawing, entry_indent, index);
  if (!graph_entries_of_node(&drawing->entries, index, false,
                             &drawing->relations))
    return false;
  draw_callees(drawing, node->inclusive.bytes);
  return true;
}

/* A line in the list of CYCLE's members, up to the exact view. */
static void
draw_member(struct drawing *drawing, const struct cycle *cycle,
            const struct figures *self, uint64_t calls, uint64_t self_calls)
{
  add_member_cells(drawing, self, cycle->self.bytes);
  add_calls(drawing, calls, self_calls == 0 ? '\0' : '+', self_calls);
}

/* The second listing of CYCLE, whose number is NUMBER: its members. */
static void
draw_members(struct drawing *drawing, const struct cycle *cycle,
             size_t number)
{
  const struct reduction *reduction = drawing->reduction;
  struct text_table *table = &drawing->table;
  draw_own_line(drawing, drawing->entries.index_of_cycle[number - 1],
                &cycle->inclusive, &cycle->self, cycle->outside_calls,
                cycle->inside_calls, &cycle->inclusive);
  text_table_cell(table, "%smembers of <cycle %zu>", entry_indent, number);
  struct figures rest = {0};
  uint64_t rest_calls = 0;
  size_t rest_count = 0;
  for (size_t i = 0; i < cycle->member_count; i++) {
    uint32_t member = reduction->cycles.members[cycle->first_member + i];
    const struct graph_node *node = &reduction->graph.nodes[member];
    uint64_t calls = call_graph_other_calls(&reduction->graph, member);
    if (!share_reached(node->inclusive.bytes,
                       reduction->selection.total.bytes,
                       reduction->options->min_share)) {
      figures_add(&rest, &node->self);
      rest_calls = calls_add(rest_calls, calls);
      rest_count++;
      continue;
    }
    draw_member(drawing, cycle, &node->self, calls,
                call_graph_self_calls(&reduction->graph, member));
    add_bytes(drawing, node->inclusive.bytes);
    add_node_name(drawing, relation_indent, member);
  }
  if (rest_count > 0) {
    draw_member(drawing, cycle, &rest, rest_calls, 0);
    add_stars(drawing, 2);
    text_table_cell(table, "%s(%zu more)", relation_indent, rest_count);
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
  draw_own_line(drawing, drawing->entries.index_of_cycle[place],
                &cycle->inclusive, &cycle->self, cycle->outside_calls,
                cycle->inside_calls, &cycle->inclusive);
  text_table_cell(&drawing->table, "%s<cycle %zu> as one function [%zu]",
                  entry_indent, place + 1,
                  drawing->entries.index_of_cycle[place]);
  if (!graph_entries_of_cycle(&drawing->entries, cycle, false,
                              &drawing->relations))
    return false;
  draw_callees(drawing, cycle->inclusive.bytes);
  text_table_rule(&drawing->table);
  draw_members(drawing, cycle, place + 1);
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
