/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Relations are made of arcs: for a cycle those of all members, of which the
 * ones with one function outside are added up.  A chain crosses the border of
 * a cycle at most once each way, so sums are exact.
 */

#include "tables/graph_entries.h"

#include "base/array.h"

#include <string.h>

static struct ranking_row
row_of(const struct graph_entries *entries, size_t item)
{
  const struct call_graph *graph = &entries->view->graph;
  const struct graph_node *node = &graph->nodes[item];
  const bool cycle = item >= graph->node_count;
  uint64_t depth = cycle && node->depth == SIZE_MAX ? 0 : node->depth;
  return (struct ranking_row){.figures = &node->self,
                              .inclusive = &node->inclusive,
                              .name = cycle ? "<cycle" : node->name,
                              .calls = node->calls,
                              .rank = 2 * depth +
                                      !cycle, /* a cycle before its members */
                              .item = item};
}

void
graph_entries_init(struct graph_entries *entries, const struct view *view)
{
  const struct view_options *options = view->options;
  const struct call_graph *graph = &view->graph;
  struct ranking *ranking = &entries->ranking;
  size_t count = graph->node_count + graph->cycle_count;
  *entries = (struct graph_entries){.view = view};
  ranking->inclusive = true;
  entries->index_of = pool_zeroed(count, sizeof *entries->index_of);
  entries->calls_made =
      pool_zeroed(graph->node_count, sizeof *entries->calls_made);
  entries->place_of =
      pool_zeroed(graph->node_count, sizeof *entries->place_of);
  for (size_t i = 0; i < graph->arc_count; i++) {
    uint64_t *made = &entries->calls_made[graph->arcs[i].caller];
    *made = calls_add(*made, graph->arcs[i].calls);
  }
  for (size_t i = 0; i < count; i++)
    ranking_add(ranking, row_of(entries, i));
  ranking_sort(ranking, options->sort);
  for (size_t i = 0; i < count; i++)
    entries->index_of[ranking->rows[i].item] = i;
  ranking_cut(ranking, &view->selection.total, options);
  ranking->left_out_bytes = view->selection.total.bytes;
  ranking->left_out_allocs = view->selection.total.allocs;
  for (size_t i = 0; i < ranking->shown; i++)
    if (ranking->rows[i].item < graph->node_count) {
      ranking->left_out_bytes -= ranking->rows[i].figures->bytes;
      ranking->left_out_allocs -= ranking->rows[i].figures->allocs;
    }
}

/* Adds the other end of ARC, and what passes there; nothing of an arc within
 * ENTRY. */
static void
add_relation(struct graph_entries *entries, size_t entry,
             const struct graph_arc *arc, bool callers)
{
  const struct graph_node *nodes = entries->view->graph.nodes;
  uint32_t other = callers ? arc->caller : arc->callee;
  bool inside = nodes[other].cycle != 0 &&
                nodes[arc->caller].cycle == nodes[arc->callee].cycle;
  if (arc->caller == arc->callee ||
      (inside && entry >= entries->view->graph.node_count))
    return;
  uint32_t *place = &entries->place_of[other];
  if (*place == 0) {
    struct relation new = {.node = other,
                           .name = nodes[other].name,
                           .all_calls = callers ? entries->calls_made[other]
                                                : nodes[other].calls,
                           .inside = inside};
    ARRAY_PUSH(entries->relations, entries->relation_count,
               entries->relation_capacity, new);
    *place = (uint32_t)entries->relation_count;
  }
  struct relation *relation = &entries->relations[*place - 1];
  figures_add(&relation->figures, &arc->inclusive);
  relation->calls = calls_add(relation->calls, arc->calls);
}

/* Orders relations by weight, bytes and allocations, descending, then by
 * name. */
static int
compare_relations(const void *left, const void *right)
{
  const struct relation *a = left;
  const struct relation *b = right;
  const uint64_t of_a[] = {a->weight, a->figures.bytes, a->figures.allocs};
  const uint64_t of_b[] = {b->weight, b->figures.bytes, b->figures.allocs};
  for (int i = 0; i < 3; i++)
    if (of_a[i] != of_b[i])
      return of_a[i] > of_b[i] ? -1 : 1;
  return strcmp(a->name, b->name);
}

void
graph_sum_add(struct graph_sum *sum, const struct figures *figures,
              uint64_t calls)
{
  figures_add(&sum->figures, figures);
  sum->calls = calls_add(sum->calls, calls);
  sum->count++;
}

/* Puts the relations of ENTRY in order and adds them up. */
static void
add_up(struct graph_entries *entries, const struct graph_node *entry,
       bool callers)
{
  const struct graph_sum none = {.count = 0};
  const enum measure weight = view_weight(entries->view);
  for (size_t i = 0; i < entries->relation_count; i++)
    entries->relations[i].weight =
        entries->relations[i].figures.counts[weight];
  array_sort(entries->relations, entries->relation_count,
             sizeof *entries->relations, compare_relations);
  entries->all = entries->root = none;
  entries->rests[false] = entries->rests[true] = none;
  if (callers && entries->relation_count > 0 &&
      (figures_any(&entry->root) || entry->root_calls != 0)) {
    graph_sum_add(&entries->root, &entry->root, entry->root_calls);
    entries->all = entries->root;
  }
  for (size_t i = 0; i < entries->relation_count; i++) {
    struct relation *r = &entries->relations[i];
    r->small = !share_reached(r->weight, entry->inclusive.counts[weight],
                              entries->view->options->min_share);
    if (!r->inside)
      graph_sum_add(&entries->all, &r->figures, r->calls);
    if (r->small)
      graph_sum_add(&entries->rests[r->inside], &r->figures, r->calls);
  }
}

void
graph_entry_relate(struct graph_entries *entries, size_t entry, bool callers)
{
  const struct call_graph *graph = &entries->view->graph;
  const uint32_t itself = (uint32_t)entry;
  const struct graph_node *cycle =
      entry < graph->node_count ? NULL : &graph->nodes[entry];
  const uint32_t *members =
      cycle == NULL ? &itself : graph->members + cycle->first_member;
  size_t member_count = cycle == NULL ? 1 : cycle->member_count;
  for (size_t i = 0; i < entries->relation_count; i++)
    entries->place_of[entries->relations[i].node] = 0;
  entries->relation_count = 0;
  for (size_t i = 0; i < member_count; i++) {
    const struct graph_node *node = &graph->nodes[members[i]];
    size_t count = callers ? node->in_arc_count : node->arc_count;
    for (size_t j = 0; j < count; j++) {
      size_t arc = callers ? graph->in_arcs[node->first_in_arc + j]
                           : node->first_arc + j;
      add_relation(entries, entry, &graph->arcs[arc], callers);
    }
  }
  add_up(entries, &graph->nodes[entry], callers);
}
