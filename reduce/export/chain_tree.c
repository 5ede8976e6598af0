/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Nodes are found by parent and item in an index, made in the order of the
 * samples, and then brought into order (chain_order.h).
 */

#include "export/chain_tree.h"
#include "export/chain_order.h"
#include "export/visible_chain.h"
#include "profile/array.h"

#include <string.h>

/* A tree under construction. */
struct planting {
  struct chain_tree *tree;
  struct index_map children;  /* parent, item -> node */
  struct visible_chain chain; /* in hand */
  uint32_t *item_of_frame;    /* by frame */
  uint32_t nameless[NAMELESS_COUNT];
};

/* Stands for the parent of roots. */
enum { NO_PARENT = INDEX_NONE };

/* The node of ITEM below PARENT; INDEX_NONE when there is none and CREATE is
 * false, or when memory runs out. */
static uint32_t
child(struct planting *planting, uint32_t parent, uint32_t item, bool create)
{
  struct chain_tree *tree = planting->tree;
  uint64_t key = index_pair(parent, item);
  uint32_t found = index_map_find(&planting->children, key);
  if (found != INDEX_NONE || !create)
    return found;
  struct chain_node *nodes = array_reserve(tree->nodes, &tree->capacity,
                                           tree->count + 1, sizeof *nodes);
  if (nodes == NULL || tree->count + 1 >= INDEX_NONE)
    return INDEX_NONE;
  tree->nodes = nodes;
  if (!index_map_add(&planting->children, key, (uint32_t)tree->count))
    return INDEX_NONE;
  nodes[tree->count] = (struct chain_node){.parent = parent, .item = item};
  return (uint32_t)tree->count++;
}

/* Finds the node of SAMPLE's chain, which *NODE gets: INDEX_NONE when there
 * is none and CREATE is false, or when a function on it is not in the graph;
 * in a tree by calls, that function is left out.  False when memory runs out.
 */
static bool
find_node(struct planting *planting, const struct profile_sample *sample,
          bool create, uint32_t *node)
{
  const struct selection *selection = &planting->tree->reduction->selection;
  const struct visible_chain *chain = &planting->chain;
  *node = INDEX_NONE;
  if (!visible_chain_trace(&planting->chain, selection, sample))
    return false;
  if (chain->count == 0) {
    *node = child(planting, NO_PARENT,
                  planting->nameless[selection_nameless(selection, sample)],
                  create);
    return *node != INDEX_NONE || !create;
  }
  bool skips = planting->tree->items == CHAIN_OF_CALLS;
  for (size_t i = 0; !skips && i < chain->count; i++)
    if (planting->item_of_frame[chain->frames[i]] == INDEX_NONE)
      return true;
  uint32_t parent = NO_PARENT;
  for (size_t i = 0; i < chain->count; i++) {
    uint32_t item = planting->item_of_frame[chain->frames[i]];
    if (item == INDEX_NONE)
      continue;
    parent = child(planting, parent, item, create);
    if (parent == INDEX_NONE)
      return !create;
  }
  *node = parent;
  return true;
}

/* Whether CALLER has an arc to CALLEE; arcs are sorted by both. */
static bool
has_arc(const struct call_graph *graph, uint32_t caller, uint32_t callee)
{
  size_t low = graph->nodes[caller].first_arc;
  size_t high = low + graph->nodes[caller].arc_count;
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    if (graph->arcs[middle].callee == callee)
      return true;
    if (graph->arcs[middle].callee < callee)
      low = middle + 1;
    else
      high = middle;
  }
  return false;
}

/* Whether the graph counts SAMPLE, a sample of calls. */
static bool
counts_calls(const struct planting *planting, const uint32_t *node_of_frame,
             const struct profile_sample *sample)
{
  const struct reduction *reduction = planting->tree->reduction;
  const struct selection *selection = &reduction->selection;
  const struct profile *profile = &reduction->profile;
  size_t length;
  const uint32_t *chain = selection_chain(selection, sample, &length);
  if (length == 0 || selection->hidden[profile->frames[chain[0]].function])
    return false;
  if (!selection->by_allocations)
    return true;
  size_t i = 1;
  while (i < length && selection->hidden[profile->frames[chain[i]].function])
    i++;
  uint32_t leaf = node_of_frame[chain[0]];
  if (i == length || leaf == INDEX_NONE)
    return leaf != INDEX_NONE;
  uint32_t caller = node_of_frame[chain[i]];
  return caller != INDEX_NONE && has_arc(&reduction->graph, caller, leaf);
}

/* Puts each sample where it belongs: allocations first, since calls may be
 * counted only where these are. */
static bool
add_samples(struct planting *planting, const uint32_t *node_of_frame)
{
  struct chain_tree *tree = planting->tree;
  const struct reduction *reduction = tree->reduction;
  const struct profile *profile = &reduction->profile;
  const struct selection *selection = &reduction->selection;
  bool calls_create =
      tree->items != CHAIN_OF_FUNCTIONS || !selection->by_allocations;
  uint32_t node;
  for (size_t i = 0; i < profile->sample_count; i++) {
    const struct profile_sample *sample = &profile->samples[i];
    if (!selection->kept[i] || (sample->allocs == 0 && sample->bytes == 0))
      continue;
    if (!find_node(planting, sample, true, &node))
      return false;
    tree->of_sample[i] = node;
    measure_add_sample(tree->nodes[node].counts, sample);
  }
  for (size_t i = 0; i < profile->sample_count; i++) {
    const struct profile_sample *sample = &profile->samples[i];
    if (!selection->calls_kept[i] || sample->activations == 0 ||
        !counts_calls(planting, node_of_frame, sample))
      continue;
    if (!find_node(planting, sample, calls_create, &node))
      return false;
    tree->of_calls[i] = node;
    if (node != INDEX_NONE)
      tree->nodes[node].calls += sample->activations;
  }
  for (size_t i = 0; i < tree->count && tree->items != CHAIN_OF_FRAMES; i++)
    if (reduction->graph.nodes[tree->nodes[i].item].calls == CALLS_UNKNOWN)
      tree->nodes[i].calls = CALLS_UNKNOWN;
  return true;
}

/* The graph's node of each frame; INDEX_NONE where it has none.  The caller
 * frees the array; NULL when memory runs out. */
static uint32_t *
nodes_of_frames(const struct reduction *reduction)
{
  const struct profile *profile = &reduction->profile;
  const struct call_graph *graph = &reduction->graph;
  uint32_t *of_name = array_zeroed(profile->names.count, sizeof *of_name);
  uint32_t *of_frame = array_zeroed(profile->frame_count, sizeof *of_frame);
  if (of_name != NULL && of_frame != NULL) {
    for (size_t i = 0; i < profile->names.count; i++)
      of_name[i] = INDEX_NONE;
    for (uint32_t i = 0; i < graph->node_count; i++)
      if (graph->nodes[i].function != INDEX_NONE)
        of_name[profile->functions[graph->nodes[i].function].name] = i;
    for (size_t i = 0; i < profile->frame_count; i++)
      of_frame[i] =
          of_name[profile->functions[profile->frames[i].function].name];
  } else {
    free(of_frame);
    of_frame = NULL;
  }
  free(of_name);
  return of_frame;
}

/* One number for each different KEY, from zero; INDEX_NONE when memory runs
 * out. */
static uint32_t
number_of(struct index_map *numbers, uint64_t key)
{
  uint32_t number = index_map_find(numbers, key);
  if (number != INDEX_NONE)
    return number;
  number = (uint32_t)numbers->used;
  return index_map_add(numbers, key, number) ? number : INDEX_NONE;
}

/* The first frame that is the same as each frame: in function, line and
 * address.  As nodes_of_frames. */
static uint32_t *
distinct_frames(const struct profile *profile)
{
  struct index_map lines = {0};
  struct index_map addresses = {0};
  struct index_map places = {0};
  struct index_map frames = {0};
  uint32_t *first = array_zeroed(profile->frame_count, sizeof *first);
  bool good = first != NULL;
  for (uint32_t i = 0; good && i < profile->frame_count; i++) {
    const struct profile_frame *frame = &profile->frames[i];
    uint32_t line = number_of(&lines, (uint64_t)frame->line);
    uint32_t address = number_of(&addresses, frame->address);
    uint32_t place = number_of(&places, index_pair(line, address));
    uint64_t key = index_pair(frame->function, place);
    good = line != INDEX_NONE && address != INDEX_NONE && place != INDEX_NONE;
    if (!good)
      break;
    first[i] = index_map_find(&frames, key);
    if (first[i] == INDEX_NONE) {
      first[i] = i;
      good = index_map_add(&frames, key, i);
    }
  }
  index_map_release(&lines);
  index_map_release(&addresses);
  index_map_release(&places);
  index_map_release(&frames);
  if (!good) {
    free(first);
    first = NULL;
  }
  return first;
}

/* The graph's node for chains of which nothing shows, for this REASON. */
static uint32_t
nameless_node(const struct call_graph *graph, enum nameless reason)
{
  for (uint32_t i = 0; i < graph->node_count; i++)
    if (graph->nodes[i].function == INDEX_NONE &&
        strcmp(graph->nodes[i].name, nameless_name(reason)) == 0)
      return i;
  return INDEX_NONE;
}

bool
chain_tree_init(struct chain_tree *tree, const struct reduction *reduction,
                enum chain_items items)
{
  const struct profile *profile = &reduction->profile;
  struct planting planting = {.tree = tree};
  memset(tree, 0, sizeof *tree);
  tree->reduction = reduction;
  tree->items = items;
  tree->of_sample =
      array_zeroed(profile->sample_count, sizeof *tree->of_sample);
  tree->of_calls =
      array_zeroed(profile->sample_count, sizeof *tree->of_calls);
  uint32_t *node_of_frame = nodes_of_frames(reduction);
  uint32_t *frames =
      items == CHAIN_OF_FRAMES ? distinct_frames(profile) : NULL;
  planting.item_of_frame = items == CHAIN_OF_FRAMES ? frames : node_of_frame;
  bool good = tree->of_sample != NULL && tree->of_calls != NULL &&
              node_of_frame != NULL && planting.item_of_frame != NULL;
  for (size_t i = 0; good && i < profile->sample_count; i++)
    tree->of_sample[i] = tree->of_calls[i] = INDEX_NONE;
  for (uint32_t i = 0; i < NAMELESS_COUNT; i++)
    planting.nameless[i] =
        items == CHAIN_OF_FRAMES
            ? (uint32_t)profile->frame_count + i
            : nameless_node(&reduction->graph, (enum nameless)i);
  good =
      good && add_samples(&planting, node_of_frame) && chain_tree_order(tree);
  index_map_release(&planting.children);
  visible_chain_release(&planting.chain);
  free(node_of_frame);
  free(frames);
  return good;
}

void
chain_tree_release(struct chain_tree *tree)
{
  free(tree->nodes);
  free(tree->of_sample);
  free(tree->of_calls);
  memset(tree, 0, sizeof *tree);
}

const char *
chain_item_name(const struct chain_tree *tree, uint32_t item)
{
  const struct profile *profile = &tree->reduction->profile;
  if (tree->items != CHAIN_OF_FRAMES)
    return tree->reduction->graph.nodes[item].name;
  if (item >= profile->frame_count)
    return nameless_name((enum nameless)(item - profile->frame_count));
  return names_text(&profile->names,
                    profile->functions[profile->frames[item].function].name);
}
