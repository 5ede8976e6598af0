/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Relations are copied from arcs.  For a cycle the arcs of all members are
 * gathered, sorted by the function outside, and those of one function added
 * up: a chain crosses the border of a cycle at most once each way, so sums
 * are exact.
 */

#include "tables/graph_entries.h"

#include "base/array.h"

#include <string.h>

static struct ranking_row
row_of_node(const struct reduction *reduction, size_t node)
{
  const struct graph_node *n = &reduction->graph.nodes[node];
  return (struct ranking_row){
      .figures = &n->self,
      .inclusive = &n->inclusive,
      .name = n->name,
      .calls = n->calls,
      .rank = n->depth == SIZE_MAX ? UINT64_MAX : 2 * (uint64_t)n->depth + 1,
      .item = node};
}

static struct ranking_row
row_of_cycle(const struct reduction *reduction, size_t place)
{
  const struct cycle *cycle = &reduction->cycles.items[place];
  uint64_t depth = cycle->depth == SIZE_MAX ? 0 : 2 * (uint64_t)cycle->depth;
  return (struct ranking_row){.figures = &cycle->self,
                              .inclusive = &cycle->inclusive,
                              .name = "<cycle",
                              .calls = cycle->outside_calls,
                              .rank = depth, /* before its members */
                              .item = reduction->graph.node_count + place};
}

bool
graph_entries_init(struct graph_entries *entries,
                   const struct reduction *reduction)
{
  const struct view_options *options = reduction->options;
  size_t node_count = reduction->graph.node_count;
  size_t cycle_count = reduction->cycles.count;
  entries->reduction = reduction;
  ranking_init(&entries->ranking);
  entries->ranking.inclusive = true;
  entries->index_of_node = array_zeroed(node_count, sizeof(size_t));
  entries->index_of_cycle = array_zeroed(cycle_count, sizeof(size_t));
  entries->calls_made = array_zeroed(node_count, sizeof(uint64_t));
  if (entries->index_of_node == NULL || entries->index_of_cycle == NULL ||
      entries->calls_made == NULL)
    return false;
  for (size_t i = 0; i < reduction->graph.arc_count; i++) {
    const struct graph_arc *arc = &reduction->graph.arcs[i];
    uint64_t *made = &entries->calls_made[arc->caller];
    *made = calls_add(*made, arc->calls);
  }
  for (size_t i = 0; i < node_count; i++)
    if (!ranking_add(&entries->ranking, row_of_node(reduction, i)))
      return false;
  for (size_t i = 0; i < cycle_count; i++)
    if (!ranking_add(&entries->ranking, row_of_cycle(reduction, i)))
      return false;
  ranking_sort(&entries->ranking, options->sort);
  for (size_t i = 0; i < entries->ranking.count; i++) {
    size_t item = entries->ranking.rows[i].item;
    if (item < node_count)
      entries->index_of_node[item] = i;
    else
      entries->index_of_cycle[item - node_count] = i;
  }
  ranking_cut(&entries->ranking, &reduction->selection.total, options);
  return true;
}

void
graph_entries_release(struct graph_entries *entries)
{
  ranking_release(&entries->ranking);
  free(entries->index_of_node);
  free(entries->index_of_cycle);
  free(entries->calls_made);
}

const struct cycle *
graph_entries_cycle(const struct graph_entries *entries,
                    const struct ranking_row *row)
{
  size_t node_count = entries->reduction->graph.node_count;
  return row->item < node_count
             ? NULL
             : &entries->reduction->cycles.items[row->item - node_count];
}

/* Appends the other end of the arc with the number INDEX. */
static bool
add_relation(const struct graph_entries *entries, size_t index, bool callers,
             struct relations *relations)
{
  const struct call_graph *graph = &entries->reduction->graph;
  const struct graph_arc *arc = &graph->arcs[index];
  struct relation *items =
      array_reserve(relations->items, &relations->capacity,
                    relations->count + 1, sizeof *items);
  if (items == NULL)
    return false;
  relations->items = items;
  uint32_t other = callers ? arc->caller : arc->callee;
  const struct graph_node *node = &graph->nodes[other];
  items[relations->count++] = (struct relation){
      .node = other,
      .name = node->name,
      .figures = arc->inclusive,
      .calls = arc->calls,
      .all_calls = callers ? entries->calls_made[other] : node->calls,
      .inside = node->cycle != 0 && graph->nodes[arc->caller].cycle ==
                                        graph->nodes[arc->callee].cycle,
  };
  return true;
}

static bool
add_relations(const struct graph_entries *entries, uint32_t node,
              bool callers, bool only_outside, struct relations *relations)
{
  const struct call_graph *graph = &entries->reduction->graph;
  const struct graph_node *n = &graph->nodes[node];
  size_t count = callers ? n->in_arc_count : n->arc_count;
  for (size_t i = 0; i < count; i++) {
    size_t index =
        callers ? graph->in_arcs[n->first_in_arc + i] : n->first_arc + i;
    const struct graph_arc *arc = &graph->arcs[index];
    if (arc->caller == arc->callee)
      continue;
    if (!add_relation(entries, index, callers, relations))
      return false;
    if (only_outside && relations->items[relations->count - 1].inside)
      relations->count--;
  }
  return true;
}

/* By bytes and allocations, descending, then by name. */
static int
compare_descending(const void *left, const void *right)
{
  const struct relation *a = left;
  const struct relation *b = right;
  if (a->figures.bytes != b->figures.bytes)
    return a->figures.bytes > b->figures.bytes ? -1 : 1;
  if (a->figures.allocs != b->figures.allocs)
    return a->figures.allocs > b->figures.allocs ? -1 : 1;
  return strcmp(a->name, b->name);
}

/* The reverse of that. */
static int
compare_ascending(const void *left, const void *right)
{
  return compare_descending(right, left);
}

/* By node. */
static int
compare_nodes(const void *left, const void *right)
{
  const struct relation *a = left;
  const struct relation *b = right;
  return a->node < b->node ? -1 : a->node > b->node;
}

static void
order_relations(struct relations *relations, bool callers)
{
  array_sort(relations->items, relations->count, sizeof *relations->items,
             callers ? compare_ascending : compare_descending);
}

bool
graph_entries_of_node(const struct graph_entries *entries, uint32_t node,
                      bool callers, struct relations *relations)
{
  relations->count = 0;
  if (!add_relations(entries, node, callers, false, relations))
    return false;
  order_relations(relations, callers);
  return true;
}

bool
graph_entries_of_cycle(const struct graph_entries *entries,
                       const struct cycle *cycle, bool callers,
                       struct relations *relations)
{
  const uint32_t *members =
      entries->reduction->cycles.members + cycle->first_member;
  relations->count = 0;
  for (size_t i = 0; i < cycle->member_count; i++)
    if (!add_relations(entries, members[i], callers, true, relations))
      return false;
  array_sort(relations->items, relations->count, sizeof *relations->items,
             compare_nodes);
  size_t count = 0;
  for (size_t i = 0; i < relations->count; i++) {
    const struct relation *relation = &relations->items[i];
    if (count > 0 && relations->items[count - 1].node == relation->node) {
      figures_add(&relations->items[count - 1].figures, &relation->figures);
      relations->items[count - 1].calls =
          calls_add(relations->items[count - 1].calls, relation->calls);
    } else {
      relations->items[count++] = *relation;
    }
  }
  relations->count = count;
  order_relations(relations, callers);
  return true;
}
