/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* One walk of the tree of chains, from each node back to its parent with what
 * was allocated below it: that goes to the node's function, and to the arc by
 * which it was called, unless the same function, or arc, is further out on
 * the chain.  Then calls.  At last calls that are not known become so,
 * whatever was counted of them.
 */

#include "analysis/call_graph.h"

#include "base/array.h"

#include <string.h>

/* A graph under construction. */
struct building {
  struct call_graph *graph;
  const struct call_tree *tree;
  struct index_map self_type_of_pair; /* node, type -> self_types */
  struct lists samples; /* by node of the tree: those that allocate there */
  struct step *chain;   /* the one in hand */
  size_t depth, chain_capacity;
};

/* A node of the chain in hand. */
struct step {
  uint32_t arc;           /* INDEX_NONE: it has no caller */
  struct figures figures; /* in and below it, as far as known */
};

/* Makes a node of each item of TREE, and an arc of each pair. */
static void
add_nodes(struct call_graph *graph, const struct call_tree *tree)
{
  *graph = (struct call_graph){
      .node_count = tree->item_count,
      .capacity = tree->item_count,
      .arc_count = tree->pair_count,
      .nodes = pool_alloc(tree->item_count * sizeof *graph->nodes),
      .arcs = pool_alloc(tree->pair_count * sizeof *graph->arcs)};
  for (size_t i = 0; i < tree->item_count; i++)
    graph->nodes[i] = (struct graph_node){.name = tree->items[i].name,
                                          .function = tree->items[i].function,
                                          .depth = SIZE_MAX};
  for (size_t i = 0; i < tree->pair_count; i++)
    graph->arcs[i] = (struct graph_arc){.caller = tree->pairs[i].caller,
                                        .callee = tree->pairs[i].callee};
}

static void
add_self_type(struct building *building, uint32_t node,
              const struct sample_count *count)
{
  struct call_graph *graph = building->graph;
  uint32_t i = index_map_number(&building->self_type_of_pair,
                                index_pair(node, count->type));
  if (i == graph->self_type_count)
    ARRAY_PUSH(graph->self_types, graph->self_type_count,
               graph->self_type_capacity,
               (struct type_part){.group = node, .type = count->type});
  struct figures *sum = &graph->self_types[i].figures;
  sum->allocs += count->counts[MEASURE_ALLOCS];
  sum->bytes += count->counts[MEASURE_BYTES];
}

/* ---- the walk ---- */

/* Adds what was allocated at NODE, of the tree, to the last step. */
static void
add_own(struct building *building, uint32_t node)
{
  const struct selection *selection = building->tree->selection;
  uint32_t item = building->tree->tree.nodes[node].item;
  struct figures *sum = &building->chain[building->depth - 1].figures;
  uint32_t sample = lists_first(&building->samples, node);
  if (sample == INDEX_NONE)
    return;
  building->graph->context_count++;
  for (; sample != INDEX_NONE;
       sample = lists_next(&building->samples, sample)) {
    struct sample_count count;
    selection_count(selection, sample, &count);
    struct figures figures = figures_of(selection->profile, &count);
    figures_add(sum, &figures);
    add_self_type(building, item, &count);
  }
  figures_add(&building->graph->nodes[item].self, sum);
}

/* Goes on to NODE, a child of the last one. */
static void
enter(struct building *building, uint32_t node)
{
  const struct call_tree *tree = building->tree;
  const uint32_t arc = tree->pair_of[node];
  if (arc != INDEX_NONE)
    building->graph->arcs[arc].uses++;
  struct graph_node *to =
      &building->graph->nodes[tree->tree.nodes[node].item];
  to->uses++;
  if (building->depth < to->depth)
    to->depth = building->depth;
  ARRAY_PUSH(building->chain, building->depth, building->chain_capacity,
             (struct step){.arc = arc});
  add_own(building, node);
}

/* Goes back from NODE to its parent. */
static void
leave(struct building *building, uint32_t node)
{
  struct call_graph *graph = building->graph;
  struct graph_node *from =
      &graph->nodes[building->tree->tree.nodes[node].item];
  const struct step *step = &building->chain[--building->depth];
  if (--from->uses == 0)
    figures_add(&from->inclusive, &step->figures);
  if (step->arc == INDEX_NONE) {
    figures_add(&from->root, &step->figures);
    return;
  }
  struct graph_arc *arc = &graph->arcs[step->arc];
  if (--arc->uses == 0)
    figures_add(&arc->inclusive, &step->figures);
  figures_add(&building->chain[building->depth - 1].figures, &step->figures);
}

/* Returns the first of NODE and its next siblings that allocated, or
 * TREE_ROOT. */
static uint32_t
allocating(const struct call_tree *tree, uint32_t node)
{
  while (node >= tree->allocating)
    node = tree->tree.nodes[node].next_sibling;
  return node;
}

static void
count_allocations(struct building *building)
{
  const struct call_tree *tree = building->tree;
  const struct tree_node *nodes = tree->tree.nodes;
  uint32_t at = TREE_ROOT;
  for (;;) {
    uint32_t next = allocating(tree, nodes[at].first_child);
    for (; next == TREE_ROOT && at != TREE_ROOT; at = nodes[at].parent) {
      leave(building, at);
      next = allocating(tree, nodes[at].next_sibling);
    }
    if (next == TREE_ROOT)
      return;
    at = next;
    enter(building, at);
  }
}

/* ---- calls ---- */

/* Marks calls as unknown: all, if those of what is chosen are not counted;
 * else those of functions whose calls one of the files does not count. */
static void
set_unknown_calls(struct building *building)
{
  const bool counted = building->tree->selection->counts_calls;
  const struct frame_table *frames = building->tree->selection->frames;
  struct call_graph *graph = building->graph;
  for (size_t i = 0; i < graph->node_count; i++) {
    struct graph_node *node = &graph->nodes[i];
    if (counted && (node->function == INDEX_NONE ||
                    frames->functions[node->function].calls_known)) {
      graph->calls += node->calls;
      continue;
    }
    node->calls = CALLS_UNKNOWN;
    node->root_calls = figures_any(&node->root) ? CALLS_UNKNOWN : 0;
  }
  for (size_t i = 0; i < graph->arc_count; i++)
    if (graph->nodes[graph->arcs[i].callee].calls == CALLS_UNKNOWN)
      graph->arcs[i].calls = CALLS_UNKNOWN;
}

static void
count_calls(struct building *building)
{
  const struct call_tree *tree = building->tree;
  struct call_graph *graph = building->graph;
  for (size_t i = 0; i < tree->call_count; i++) {
    const struct call_place *place = &tree->calls[i];
    const uint32_t arc = tree->pair_of[place->node];
    struct graph_node *callee =
        &graph->nodes[tree->tree.nodes[place->node].item];
    const uint64_t calls = profile_value(building->tree->selection->profile,
                                         place->sample, COLUMN_OF_CALLS);
    *(arc == INDEX_NONE ? &callee->root_calls : &graph->arcs[arc].calls) +=
        calls;
    callee->calls += calls;
  }
  size_t count = tree->allocating_pairs;
  for (size_t i = count; i < graph->arc_count; i++)
    if (graph->arcs[i].calls != 0) /* some are only on the way to a call */
      graph->arcs[count++] = graph->arcs[i];
  graph->arc_count = count;
  set_unknown_calls(building);
}

static int
compare_arcs(const void *left, const void *right)
{
  const struct graph_arc *a = left, *b = right;
  return array_order(index_pair(a->caller, a->callee),
                     index_pair(b->caller, b->callee));
}

/* Orders parts by node; in a node by bytes and allocations, descending, then
 * by type. */
static int
compare_self_types(const void *left, const void *right)
{
  const struct type_part *a = left, *b = right;
  return array_order(a->group, b->group)
             ?: array_order(b->figures.bytes, a->figures.bytes)
             ?: array_order(b->figures.allocs, a->figures.allocs)
             ?: array_order(a->type, b->type);
}

/* Sorts the arcs and gives each node its ranges. */
static void
link_arcs(struct call_graph *graph)
{
  array_sort(graph->arcs, graph->arc_count, sizeof *graph->arcs,
             compare_arcs);
  array_sort(graph->self_types, graph->self_type_count,
             sizeof *graph->self_types, compare_self_types);
  graph->in_arcs = pool_zeroed(graph->arc_count, sizeof *graph->in_arcs);
  for (size_t i = 0; i < graph->arc_count; i++) {
    struct graph_node *caller = &graph->nodes[graph->arcs[i].caller];
    if (caller->arc_count++ == 0)
      caller->first_arc = i;
    if (graph->arcs[i].caller == graph->arcs[i].callee)
      caller->inner_calls = graph->arcs[i].calls;
    graph->nodes[graph->arcs[i].callee].in_arc_count++;
  }
  for (size_t i = 0; i < graph->self_type_count; i++) {
    struct graph_node *node = &graph->nodes[graph->self_types[i].group];
    if (node->type_count++ == 0)
      node->first_type = i;
  }
  size_t in = 0;
  for (size_t i = 0; i < graph->node_count; i++)
    graph->nodes[i].first_in_arc = in += graph->nodes[i].in_arc_count;
  for (size_t i = graph->arc_count; i-- > 0;)
    graph->in_arcs[--graph->nodes[graph->arcs[i].callee].first_in_arc] = i;
}

void
call_graph_init(struct call_graph *graph, const struct call_tree *tree)
{
  struct building building = {.graph = graph, .tree = tree};
  add_nodes(graph, tree);
  lists_init(&building.samples, tree->tree.count, tree->of_sample,
             tree->selection->profile->sample_count);
  count_allocations(&building);
  count_calls(&building);
  link_arcs(graph);
  lists_release(&building.samples);
  pool_free(building.chain); /* perhaps as long as the tree */
}
