/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* One walk of the tree of chains, from each node back to its parent with what
 * was allocated below it: that goes to the node's function, and to the arc by
 * which it was called, unless the same function, or arc, is further out on
 * the chain.  Then calls: under a focus they count only where allocations
 * left a node or an arc.  At last calls that are not known become so,
 * whatever was counted of them.
 */

#include "analysis/call_graph.h"

#include "base/array.h"
#include "base/lists.h"

#include <string.h>

/* A graph under construction. */
struct building {
  struct call_graph *graph;
  struct call_tree *tree;
  const struct selection *selection;
  struct index_map arc_of_pair;
  struct index_map self_type_of_pair; /* node, type -> self_types */
  struct lists samples; /* by node of the tree: those that allocate there */
  uint32_t *node_uses; /* by node of the graph: how often on the chain */
  uint32_t *arc_uses;  /* by arc */
  size_t arc_use_capacity;
  struct step *chain; /* the one in hand */
  size_t depth, chain_capacity;
};

/* A node of the chain in hand. */
struct step {
  uint32_t arc; /* INDEX_NONE: it has no caller */
  struct figures figures; /* in and below it, as far as known */
};

/* Lets GRAPH have a node for each item of the tree. */
static bool
add_nodes(struct building *building)
{
  struct call_graph *graph = building->graph;
  const struct call_tree *tree = building->tree;
  struct graph_node *nodes =
      array_reserve(graph->nodes, &graph->node_capacity, tree->item_count,
                    sizeof *nodes);
  if (nodes == NULL)
    return false;
  graph->nodes = nodes;
  for (; graph->node_count < tree->item_count; graph->node_count++)
    nodes[graph->node_count] = (struct graph_node){
        .name = tree->items[graph->node_count].name,
        .function = tree->items[graph->node_count].function,
        .depth = SIZE_MAX};
  return true;
}

static uint32_t
find_arc(struct building *building, uint32_t caller, uint32_t callee,
         bool create)
{
  uint64_t key = index_pair(caller, callee);
  uint32_t index = index_map_find(&building->arc_of_pair, key);
  if (index != INDEX_NONE || !create)
    return index;
  struct call_graph *graph = building->graph;
  size_t count = graph->arc_count + 1;
  struct graph_arc *arcs =
      array_reserve(graph->arcs, &graph->arc_capacity, count, sizeof *arcs);
  if (arcs == NULL)
    return INDEX_NONE;
  graph->arcs = arcs;
  uint32_t *uses = array_reserve(
      building->arc_uses, &building->arc_use_capacity, count, sizeof *uses);
  if (uses == NULL || count >= INDEX_NONE)
    return INDEX_NONE;
  building->arc_uses = uses;
  index = (uint32_t)graph->arc_count;
  if (!index_map_add(&building->arc_of_pair, key, index))
    return INDEX_NONE;
  uses[index] = 0;
  arcs[index] = (struct graph_arc){.caller = caller, .callee = callee};
  graph->arc_count++;
  return index;
}

static bool
add_self_type(struct building *building, uint32_t node,
              const struct sample_count *count)
{
  struct call_graph *graph = building->graph;
  uint64_t key = index_pair(node, count->type);
  uint32_t index = index_map_find(&building->self_type_of_pair, key);
  if (index == INDEX_NONE) {
    struct graph_self_type *rows =
        array_reserve(graph->self_types, &graph->self_type_capacity,
                      graph->self_type_count + 1, sizeof *rows);
    if (rows == NULL)
      return false;
    graph->self_types = rows;
    index = (uint32_t)graph->self_type_count;
    if (!index_map_add(&building->self_type_of_pair, key, index))
      return false;
    rows[graph->self_type_count++] =
        (struct graph_self_type){node, count->type, 0, 0};
  }
  graph->self_types[index].allocs += count->counts[MEASURE_ALLOCS];
  graph->self_types[index].bytes += count->counts[MEASURE_BYTES];
  return true;
}

/* ---- the walk ---- */

/* Adds what was allocated at NODE, of the tree, to the last step. */
static bool
add_own(struct building *building, uint32_t node)
{
  const struct selection *selection = building->selection;
  uint32_t item = building->tree->tree.nodes[node].item;
  struct figures *sum = &building->chain[building->depth - 1].figures;
  uint32_t sample = lists_first(&building->samples, node);
  if (sample != INDEX_NONE)
    building->graph->context_count++;
  for (; sample != INDEX_NONE;
       sample = lists_next(&building->samples, sample)) {
    struct sample_count count;
    selection_count(selection, sample, &count);
    struct figures figures = figures_of(selection->profile, &count);
    figures_add(sum, &figures);
    if (!add_self_type(building, item, &count))
      return false;
  }
  figures_add(&building->graph->nodes[item].self, sum);
  return true;
}

/* Goes on to NODE, a child of the last one. */
static bool
enter(struct building *building, uint32_t node)
{
  const struct tree_node *nodes = building->tree->tree.nodes;
  struct step *chain =
      array_reserve(building->chain, &building->chain_capacity,
                    building->depth + 1, sizeof *chain);
  if (chain == NULL)
    return false;
  building->chain = chain;
  uint32_t item = nodes[node].item;
  uint32_t arc = INDEX_NONE;
  if (nodes[node].parent != TREE_ROOT) {
    arc = find_arc(building, nodes[nodes[node].parent].item, item, true);
    if (arc == INDEX_NONE)
      return false;
    building->arc_uses[arc]++;
  }
  building->node_uses[item]++;
  if (building->depth < building->graph->nodes[item].depth)
    building->graph->nodes[item].depth = building->depth;
  chain[building->depth++] = (struct step){.arc = arc};
  return add_own(building, node);
}

/* Goes back from NODE to its parent. */
static void
leave(struct building *building, uint32_t node)
{
  struct call_graph *graph = building->graph;
  uint32_t item = building->tree->tree.nodes[node].item;
  const struct step *step = &building->chain[--building->depth];
  if (--building->node_uses[item] == 0)
    figures_add(&graph->nodes[item].inclusive, &step->figures);
  if (step->arc == INDEX_NONE) {
    figures_add(&graph->nodes[item].root, &step->figures);
    return;
  }
  if (--building->arc_uses[step->arc] == 0)
    figures_add(&graph->arcs[step->arc].inclusive, &step->figures);
  figures_add(&building->chain[building->depth - 1].figures, &step->figures);
}

static bool
count_allocations(struct building *building)
{
  const struct tree_node *nodes = building->tree->tree.nodes;
  uint32_t at = nodes[TREE_ROOT].first_child;
  while (at != TREE_ROOT) {
    if (!enter(building, at))
      return false;
    if (nodes[at].first_child != TREE_ROOT) {
      at = nodes[at].first_child;
      continue;
    }
    leave(building, at);
    while (at != TREE_ROOT && nodes[at].next_sibling == TREE_ROOT) {
      at = nodes[at].parent;
      if (at != TREE_ROOT)
        leave(building, at);
    }
    at = at == TREE_ROOT ? TREE_ROOT : nodes[at].next_sibling;
  }
  return true;
}

/* ---- calls ---- */

/* The node of FRAME; INDEX_NONE when there is none and CREATE is false, or
 * when memory runs out. */
static uint32_t
node_of_frame(struct building *building, uint32_t frame, bool create)
{
  if (!create)
    return call_tree_item(building->tree, frame);
  uint32_t item = call_tree_make_item(building->tree, frame);
  return item != INDEX_NONE && add_nodes(building) ? item : INDEX_NONE;
}

/* Counts the CALLS of the leaf of the chain of NODE, of the profile, when
 * that shows.  CREATE tells whether nodes and arcs may come into being by
 * this. */
static bool
count_calls(struct building *building, uint32_t node, uint64_t calls,
            bool create)
{
  struct call_graph *graph = building->graph;
  uint32_t leaf, outer;
  if (!call_tree_call(building->tree, node, &leaf, &outer))
    return true;
  uint32_t callee = node_of_frame(building, leaf, create);
  if (callee == INDEX_NONE)
    return !create;
  if (outer == INDEX_NONE) {
    graph->nodes[callee].root_calls += calls;
  } else {
    uint32_t caller = node_of_frame(building, outer, create);
    uint32_t arc = caller == INDEX_NONE
                       ? INDEX_NONE
                       : find_arc(building, caller, callee, create);
    if (arc == INDEX_NONE)
      return !create;
    graph->arcs[arc].calls += calls;
  }
  graph->nodes[callee].calls += calls;
  return true;
}

/* What some files count of a function of which another does not is no count
 * of its calls. */
static void
set_unknown_calls(struct building *building)
{
  const struct frame_table *frames = building->selection->frames;
  struct call_graph *graph = building->graph;
  for (size_t i = 0; i < graph->node_count; i++) {
    struct graph_node *node = &graph->nodes[i];
    if (node->function == INDEX_NONE ||
        frames->functions[node->function].calls_known)
      continue;
    node->calls = CALLS_UNKNOWN;
    node->root_calls = figures_any(&node->root) ? CALLS_UNKNOWN : 0;
  }
  for (size_t i = 0; i < graph->arc_count; i++)
    if (graph->nodes[graph->arcs[i].callee].calls == CALLS_UNKNOWN)
      graph->arcs[i].calls = CALLS_UNKNOWN;
}

static bool
count_all_calls(struct building *building)
{
  const struct selection *selection = building->selection;
  const struct profile *profile = selection->profile;
  for (size_t i = 0; i < profile->sample_count; i++) {
    struct sample_count count;
    if (!selection_keeps_calls(selection, i))
      continue;
    profile_count(profile, i, &count);
    if (count.calls != 0 &&
        !count_calls(building, profile_end(profile, i), count.calls,
                     !selection->by_allocations))
      return false;
  }
  set_unknown_calls(building);
  return true;
}

static int
compare_arcs(const void *left, const void *right)
{
  const struct graph_arc *a = left;
  const struct graph_arc *b = right;
  if (a->caller != b->caller)
    return a->caller < b->caller ? -1 : 1;
  return a->callee < b->callee ? -1 : a->callee > b->callee;
}

/* By node; in a node by bytes and allocations, descending, then by type. */
static int
compare_self_types(const void *left, const void *right)
{
  const struct graph_self_type *a = left;
  const struct graph_self_type *b = right;
  if (a->node != b->node)
    return a->node < b->node ? -1 : 1;
  if (a->bytes != b->bytes)
    return a->bytes > b->bytes ? -1 : 1;
  if (a->allocs != b->allocs)
    return a->allocs > b->allocs ? -1 : 1;
  return a->type < b->type ? -1 : a->type > b->type;
}

/* Sorts the arcs and gives each node its ranges. */
static bool
link_arcs(struct call_graph *graph)
{
  array_sort(graph->arcs, graph->arc_count, sizeof *graph->arcs,
             compare_arcs);
  array_sort(graph->self_types, graph->self_type_count,
             sizeof *graph->self_types, compare_self_types);
  graph->in_arcs = array_zeroed(graph->arc_count, sizeof *graph->in_arcs);
  if (graph->in_arcs == NULL)
    return false;
  for (size_t i = 0; i < graph->arc_count; i++) {
    struct graph_node *caller = &graph->nodes[graph->arcs[i].caller];
    if (caller->arc_count++ == 0)
      caller->first_arc = i;
    graph->nodes[graph->arcs[i].callee].in_arc_count++;
  }
  for (size_t i = 0; i < graph->self_type_count; i++) {
    struct graph_node *node = &graph->nodes[graph->self_types[i].node];
    if (node->type_count++ == 0)
      node->first_type = i;
  }
  size_t in = 0;
  for (size_t i = 0; i < graph->node_count; i++) {
    struct graph_node *node = &graph->nodes[i];
    node->first_in_arc = in;
    in += node->in_arc_count;
    node->in_arc_count = 0;
  }
  for (size_t i = 0; i < graph->arc_count; i++) {
    struct graph_node *callee = &graph->nodes[graph->arcs[i].callee];
    graph->in_arcs[callee->first_in_arc + callee->in_arc_count++] = i;
  }
  return true;
}

bool
call_graph_init(struct call_graph *graph, struct call_tree *tree,
                struct mprof_error *error)
{
  struct building building = {
      .graph = graph, .tree = tree, .selection = tree->selection};
  memset(graph, 0, sizeof *graph);
  building.node_uses =
      array_zeroed(tree->item_count, sizeof *building.node_uses);
  bool good = building.node_uses != NULL && add_nodes(&building) &&
              lists_init(&building.samples, tree->tree.count,
                         tree->of_sample,
                         tree->selection->profile->sample_count) &&
              count_allocations(&building) && count_all_calls(&building) &&
              link_arcs(graph);
  index_map_release(&building.arc_of_pair);
  index_map_release(&building.self_type_of_pair);
  lists_release(&building.samples);
  free(building.node_uses);
  free(building.arc_uses);
  free(building.chain);
  return good || mprof_error_memory(error);
}

void
call_graph_release(struct call_graph *graph)
{
  free(graph->nodes);
  free(graph->arcs);
  free(graph->in_arcs);
  free(graph->self_types);
  memset(graph, 0, sizeof *graph);
}

uint64_t
call_graph_self_calls(const struct call_graph *graph, uint32_t node)
{
  const struct graph_node *n = &graph->nodes[node];
  for (size_t i = 0; i < n->arc_count; i++)
    if (graph->arcs[n->first_arc + i].callee == node)
      return graph->arcs[n->first_arc + i].calls;
  return 0;
}

uint64_t
call_graph_other_calls(const struct call_graph *graph, uint32_t node)
{
  uint64_t calls = graph->nodes[node].calls;
  return calls == CALLS_UNKNOWN ? CALLS_UNKNOWN
                                : calls - call_graph_self_calls(graph, node);
}
