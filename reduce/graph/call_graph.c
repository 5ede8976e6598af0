/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* One pass over the samples.  Each chain is first reduced to the nodes that
 * show, root first; then every node and every consecutive pair gets the
 * sample's figures, unless its stamp says that this sample has been there.
 * Activation samples come after all allocation samples, since under a focus
 * they count only where allocations left a node or an arc.  At last calls
 * that are not known become so, whatever was counted of them.
 */

#include "graph/call_graph.h"

#include "profile/array.h"

#include <string.h>

/* A graph under construction. */
struct building {
  struct call_graph *graph;
  const struct selection *selection;
  uint32_t *node_of_name; /* by name id */
  struct index_map arc_of_pair;
  struct index_map self_type_of_pair; /* node, type -> self_types */
  uint32_t nameless[NAMELESS_COUNT];  /* nodes of nameless chains */
  size_t *node_stamps; /* by node: last sample counted, from 1 */
  size_t node_stamp_capacity;
  size_t *arc_stamps; /* by arc */
  size_t arc_stamp_capacity;
  uint32_t *path; /* nodes of the chain in hand, root first */
  size_t path_length, path_capacity;
};

static uint32_t
add_node(struct building *building, const char *name, uint32_t function)
{
  struct call_graph *graph = building->graph;
  size_t count = graph->node_count + 1;
  struct graph_node *nodes = array_reserve(
      graph->nodes, &graph->node_capacity, count, sizeof *nodes);
  if (nodes == NULL)
    return INDEX_NONE;
  graph->nodes = nodes;
  size_t *stamps =
      array_reserve(building->node_stamps, &building->node_stamp_capacity,
                    count, sizeof *stamps);
  if (stamps == NULL)
    return INDEX_NONE;
  building->node_stamps = stamps;
  stamps[count - 1] = 0;
  nodes[count - 1] = (struct graph_node){
      .name = name, .function = function, .depth = SIZE_MAX};
  return (uint32_t)graph->node_count++;
}

/* The node of FUNCTION; functions of one name share it. */
static uint32_t
node_of_function(struct building *building, uint32_t function, bool create)
{
  const struct profile *profile = building->selection->profile;
  uint32_t name = profile->functions[function].name;
  uint32_t *node = &building->node_of_name[name];
  if (*node == INDEX_NONE && create)
    *node = add_node(building, names_text(&profile->names, name), function);
  return *node;
}

/* The node for chains that show no frame, for this REASON. */
static uint32_t
nameless_node(struct building *building, enum nameless reason)
{
  uint32_t *node = &building->nameless[reason];
  if (*node == INDEX_NONE)
    *node = add_node(building, nameless_name(reason), INDEX_NONE);
  return *node;
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
  size_t *stamps =
      array_reserve(building->arc_stamps, &building->arc_stamp_capacity,
                    count, sizeof *stamps);
  if (stamps == NULL || count >= INDEX_NONE)
    return INDEX_NONE;
  building->arc_stamps = stamps;
  index = (uint32_t)graph->arc_count;
  if (!index_map_add(&building->arc_of_pair, key, index))
    return INDEX_NONE;
  stamps[index] = 0;
  arcs[index] = (struct graph_arc){.caller = caller, .callee = callee};
  graph->arc_count++;
  return index;
}

static bool
add_self_type(struct building *building, uint32_t node,
              const struct profile_sample *sample)
{
  struct call_graph *graph = building->graph;
  uint64_t key = index_pair(node, sample->type);
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
        (struct graph_self_type){node, sample->type, 0, 0};
  }
  graph->self_types[index].allocs += sample->allocs;
  graph->self_types[index].bytes += sample->bytes;
  return true;
}

static bool
push_path(struct building *building, uint32_t node)
{
  uint32_t *path = array_reserve(building->path, &building->path_capacity,
                                 building->path_length + 1, sizeof *path);
  if (path == NULL || node == INDEX_NONE)
    return false;
  building->path = path;
  path[building->path_length++] = node;
  return true;
}

/* Puts the nodes of SAMPLE's chain that show into the path, root first. */
static bool
trace_path(struct building *building, const struct profile_sample *sample)
{
  const struct selection *selection = building->selection;
  const struct profile *profile = selection->profile;
  size_t length;
  const uint32_t *chain = selection_chain(selection, sample, &length);
  building->path_length = 0;
  for (size_t i = length; i-- > 0;) {
    uint32_t function = profile->frames[chain[i]].function;
    if (!selection->hidden[function] &&
        !push_path(building, node_of_function(building, function, true)))
      return false;
  }
  return building->path_length > 0 ||
         push_path(building, nameless_node(building, selection_nameless(
                                                         selection, sample)));
}

/* Counts the allocations of the sample with the number STAMP. */
static bool
count_allocations(struct building *building,
                  const struct profile_sample *sample, size_t stamp)
{
  struct call_graph *graph = building->graph;
  const struct profile *profile = building->selection->profile;
  struct figures figures =
      figures_of_sample(sample, &profile->types[sample->type]);
  if (!trace_path(building, sample))
    return false;
  for (size_t i = 0; i < building->path_length; i++) {
    uint32_t node = building->path[i];
    if (building->node_stamps[node] != stamp) {
      building->node_stamps[node] = stamp;
      figures_add(&graph->nodes[node].inclusive, &figures);
    }
    if (i < graph->nodes[node].depth)
      graph->nodes[node].depth = i;
    if (i == 0)
      continue;
    uint32_t arc = find_arc(building, building->path[i - 1], node, true);
    if (arc == INDEX_NONE)
      return false;
    if (building->arc_stamps[arc] != stamp) {
      building->arc_stamps[arc] = stamp;
      figures_add(&graph->arcs[arc].inclusive, &figures);
    }
  }
  uint32_t leaf = building->path[building->path_length - 1];
  figures_add(&graph->nodes[building->path[0]].root, &figures);
  figures_add(&graph->nodes[leaf].self, &figures);
  return add_self_type(building, leaf, sample);
}

/* Counts the activations of SAMPLE's leaf, when that shows.  CREATE tells
 * whether nodes and arcs may come into being by this. */
static bool
count_activations(struct building *building,
                  const struct profile_sample *sample, bool create)
{
  const struct selection *selection = building->selection;
  const struct profile *profile = selection->profile;
  size_t length;
  const uint32_t *chain = selection_chain(selection, sample, &length);
  if (length == 0)
    return true;
  uint32_t function = profile->frames[chain[0]].function;
  if (selection->hidden[function])
    return true;
  uint32_t leaf = node_of_function(building, function, create);
  if (leaf == INDEX_NONE)
    return !create;
  size_t i = 1;
  while (i < length && selection->hidden[profile->frames[chain[i]].function])
    i++;
  if (i == length) {
    building->graph->nodes[leaf].root_calls += sample->activations;
    building->graph->nodes[leaf].calls += sample->activations;
    return true;
  }
  uint32_t caller =
      node_of_function(building, profile->frames[chain[i]].function, create);
  uint32_t arc = caller == INDEX_NONE
                     ? INDEX_NONE
                     : find_arc(building, caller, leaf, create);
  if (arc == INDEX_NONE)
    return !create;
  building->graph->arcs[arc].calls += sample->activations;
  building->graph->nodes[leaf].calls += sample->activations;
  return true;
}

/* What some files count of a function of which another does not is no count
 * of its calls. */
static void
set_unknown_calls(struct building *building)
{
  const struct profile *profile = building->selection->profile;
  struct call_graph *graph = building->graph;
  for (size_t i = 0; i < graph->node_count; i++) {
    struct graph_node *node = &graph->nodes[i];
    if (node->function == INDEX_NONE ||
        profile_calls_known(profile, node->function))
      continue;
    bool root = node->root.bytes != 0 || node->root.allocs != 0;
    node->calls = CALLS_UNKNOWN;
    node->root_calls = root ? CALLS_UNKNOWN : 0;
  }
  for (size_t i = 0; i < graph->arc_count; i++)
    if (graph->nodes[graph->arcs[i].callee].calls == CALLS_UNKNOWN)
      graph->arcs[i].calls = CALLS_UNKNOWN;
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
    graph->nodes[graph->arcs[i].caller].arc_count++;
    graph->nodes[graph->arcs[i].callee].in_arc_count++;
  }
  for (size_t i = 0; i < graph->self_type_count; i++)
    graph->nodes[graph->self_types[i].node].type_count++;
  size_t out = 0;
  size_t in = 0;
  size_t type = 0;
  for (size_t i = 0; i < graph->node_count; i++) {
    struct graph_node *node = &graph->nodes[i];
    node->first_arc = out;
    node->first_in_arc = in;
    node->first_type = type;
    out += node->arc_count;
    in += node->in_arc_count;
    type += node->type_count;
    node->in_arc_count = 0;
  }
  for (size_t i = 0; i < graph->arc_count; i++) {
    struct graph_node *callee = &graph->nodes[graph->arcs[i].callee];
    graph->in_arcs[callee->first_in_arc + callee->in_arc_count++] = i;
  }
  return true;
}

/* No name has a node yet, nor has any reason for none. */
static bool
init_nodes(struct building *building)
{
  size_t name_count = building->selection->profile->names.count;
  building->node_of_name =
      array_zeroed(name_count, sizeof *building->node_of_name);
  if (building->node_of_name == NULL)
    return false;
  for (size_t i = 0; i < name_count; i++)
    building->node_of_name[i] = INDEX_NONE;
  for (size_t i = 0; i < NAMELESS_COUNT; i++)
    building->nameless[i] = INDEX_NONE;
  return true;
}

static bool
count_samples(struct building *building)
{
  const struct selection *selection = building->selection;
  const struct profile *profile = selection->profile;
  for (size_t i = 0; i < profile->sample_count; i++) {
    const struct profile_sample *sample = &profile->samples[i];
    if (selection->kept[i] && (sample->allocs != 0 || sample->bytes != 0) &&
        !count_allocations(building, sample, i + 1))
      return false;
  }
  for (size_t i = 0; i < profile->sample_count; i++)
    if (selection->calls_kept[i] && profile->samples[i].activations != 0 &&
        !count_activations(building, &profile->samples[i],
                           !selection->by_allocations))
      return false;
  return true;
}

bool
call_graph_init(struct call_graph *graph, const struct selection *selection,
                struct mprof_error *error)
{
  memset(graph, 0, sizeof *graph);
  struct building building = {
      .graph = graph,
      .selection = selection,
  };
  bool good = init_nodes(&building) && count_samples(&building);
  if (good)
    set_unknown_calls(&building);
  good = good && link_arcs(graph);
  free(building.node_of_name);
  index_map_release(&building.arc_of_pair);
  index_map_release(&building.self_type_of_pair);
  free(building.node_stamps);
  free(building.arc_stamps);
  free(building.path);
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
