/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Relations are made of arcs: for a cycle those of all members, of which the
 * ones with one function outside are added up.  A chain crosses the border of
 * a cycle at most once each way, so sums are exact.
 */

#include "tables/graph_entries.h"

#include "base/array.h"

#include <string.h>

/* Appends the row of the node ITEM. */
static void
add_entry(struct graph_entries *entries, size_t item)
{
  const struct call_graph *graph = &entries->view->graph;
  const struct graph_node *node = &graph->nodes[item];
  const bool cycle = item >= graph->node_count;
  uint64_t depth = cycle && node->depth == SIZE_MAX ? 0 : node->depth;
  ranking_add(&entries->ranking,
              (struct ranking_row){
                  .figures = &node->self,
                  .inclusive = &node->inclusive,
                  .name = cycle ? "<cycle" : node->name,
                  .calls = node->calls,
                  .rank = 2 * depth + !cycle, /* a cycle before its members */
                  .item = item});
}

void
graph_entries_init(struct graph_entries *entries, const struct view *view)
{
  const struct call_graph *graph = &view->graph;
  const struct figures *total = &view->selection.total;
  const size_t count = graph->node_count + graph->cycle_count;
  struct ranking *ranking = &entries->ranking;
  *entries = (struct graph_entries){
      .view = view,
      .ranking = {.inclusive = true},
      .index_of = pool_zeroed(count, sizeof *entries->index_of),
      .calls_made = pool_zeroed(count, sizeof *entries->calls_made),
      .place_of = pool_zeroed(count, sizeof *entries->place_of)};
  for (size_t i = 0; i < graph->arc_count; i++) {
    uint64_t *made = &entries->calls_made[graph->arcs[i].caller];
    *made = calls_add(*made, graph->arcs[i].calls);
  }
  for (size_t i = 0; i < count; i++)
    add_entry(entries, i);
  ranking_sort(ranking, view->options->sort);
  for (size_t i = 0; i < count; i++)
    entries->index_of[ranking->rows[i].item] = i;
  ranking_cut(ranking, total, view->options);
  ranking->left_out_bytes = total->bytes;
  ranking->left_out_allocs = total->allocs;
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
    ARRAY_PUSH(entries->relations, entries->relation_count,
               entries->relation_capacity,
               (struct relation){.node = other, .inside = inside});
    *place = (uint32_t)entries->relation_count;
  }
  struct relation *relation = &entries->relations[*place - 1];
  figures_add(&relation->figures, &arc->inclusive);
  relation->calls = calls_add(relation->calls, arc->calls);
}

static int
compare_relations(const void *left, const void *right, void *context)
{
  const struct relation *a = left;
  const struct relation *b = right;
  const struct view *view = context;
  const enum measure order[] = {view_weight(view), MEASURE_BYTES,
                                MEASURE_ALLOCS};
  for (int i = 0; i < 3; i++)
    if (a->figures.counts[order[i]] != b->figures.counts[order[i]])
      return a->figures.counts[order[i]] > b->figures.counts[order[i]] ? -1
                                                                       : 1;
  return strcmp(view->graph.nodes[a->node].name,
                view->graph.nodes[b->node].name);
}

void
relation_add(struct relation *sum, const struct figures *figures,
             uint64_t calls)
{
  figures_add(&sum->figures, figures);
  sum->calls = calls_add(sum->calls, calls);
  sum->count++;
}

/* Appends SUM if it is of as many as LEAST. */
static void
add_sum(struct graph_entries *entries, const struct relation *sum,
        size_t least)
{
  if (sum->count >= least)
    ARRAY_PUSH(entries->relations, entries->relation_count,
               entries->relation_capacity, *sum);
}

/* Puts the relations of ENTRY in order and adds them up. */
static void
add_up(struct graph_entries *entries, const struct graph_node *entry,
       bool callers)
{
  enum { SEVERAL = 2 };
  const struct view *view = entries->view;
  const enum measure weight = view_weight(view);
  const size_t count = entries->relation_count;
  struct relation all = {.node = INDEX_NONE, .name = "all"};
  struct relation root = {.node = INDEX_NONE, .name = "<root>"};
  struct relation rests[2] = {{.node = INDEX_NONE},
                              {.node = INDEX_NONE, .inside = true}};
  bool *small = pool_zeroed(count, sizeof *small);
  if (count > 0)
    qsort_r(entries->relations, count, sizeof *entries->relations,
            compare_relations, (void *)view);
  if (callers && count > 0 &&
      (figures_any(&entry->root) || entry->root_calls != 0)) {
    relation_add(&root, &entry->root, entry->root_calls);
    relation_add(&all, &entry->root, entry->root_calls);
  }
  for (size_t i = 0; i < count; i++) {
    const struct relation *r = &entries->relations[i];
    small[i] = !share_reached(r->figures.counts[weight],
                              entry->inclusive.counts[weight],
                              view->options->min_share);
    if (!r->inside)
      relation_add(&all, &r->figures, r->calls);
    if (small[i])
      relation_add(&rests[r->inside], &r->figures, r->calls);
  }
  entries->relation_count = 0;
  for (size_t i = 0; i < count; i++)
    if (!small[i] || rests[entries->relations[i].inside].count < SEVERAL)
      entries->relations[entries->relation_count++] = entries->relations[i];
  entries->whole = all.figures.counts[weight];
  add_sum(entries, &rests[callers], SEVERAL); /* those inside are last */
  add_sum(entries, &rests[!callers], SEVERAL);
  add_sum(entries, &root, 1);
  add_sum(entries, &all, SEVERAL);
  pool_free(small);
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
  for (size_t i = 0; i < entries->relation_count; i++)
    entries->place_of[entries->relations[i].node] = 0;
  add_up(entries, &graph->nodes[entry], callers);
}
