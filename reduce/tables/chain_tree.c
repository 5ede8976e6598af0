/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The nodes of the tree that the analysis has, with those of chains that were
 * only called behind them, and then brought into order (chain_order.c).
 */

#include "tables/chain_tree.h"

#include "base/array.h"
#include "tables/chain_order.h"

#include <string.h>

/* Lets CALLS, a tree by functions, have the items that the graph has. */
static bool
take_items(struct call_tree *calls, const struct reduction *reduction)
{
  const struct profile *profile = reduction->profile;
  if (calls->kind == ITEMS_ARE_FRAMES || reduction->selection.by_allocations)
    return true;
  for (size_t i = 0; i < profile->sample_count; i++) {
    uint32_t leaf, outer;
    struct sample_count count;
    if (!selection_keeps_calls(&reduction->selection, i))
      continue;
    profile_count(profile, i, &count);
    if (count.calls != 0 &&
        call_tree_call(calls, profile_end(profile, i), &leaf, &outer) &&
        (call_tree_make_item(calls, leaf) == INDEX_NONE ||
         (outer != INDEX_NONE &&
          call_tree_make_item(calls, outer) == INDEX_NONE)))
      return false;
  }
  return true;
}

/* Finds for each sample the node that has its calls. */
static bool
place_calls(struct chain_tree *tree)
{
  const struct reduction *reduction = tree->reduction;
  const struct profile *profile = reduction->profile;
  enum missing_chain missing =
      tree->items == CHAIN_OF_FRAMES  ? MISSING_NEW
      : tree->items == CHAIN_OF_CALLS ? MISSING_WITHOUT
      : reduction->selection.by_allocations ? MISSING_FOUND_ONLY
                                            : MISSING_WHOLE;
  if (!take_items(&tree->calls, reduction))
    return false;
  for (size_t i = 0; i < profile->sample_count; i++) {
    struct sample_count count;
    uint32_t node = profile_end(profile, i);
    tree->of_calls[i] = INDEX_NONE;
    if (!selection_keeps_calls(&reduction->selection, i))
      continue;
    profile_count(profile, i, &count);
    if (count.calls != 0 &&
        !call_tree_calls(&tree->calls, node, missing, &tree->of_calls[i]))
      return false;
  }
  return true;
}

/* Turns the number of a node of the tree with a root into one without. */
static uint32_t
without_root(uint32_t node)
{
  return node == INDEX_NONE || node == TREE_ROOT ? INDEX_NONE : node - 1;
}

static bool
make_nodes(struct chain_tree *tree)
{
  const struct tree *from = &tree->calls.tree;
  tree->nodes = array_zeroed(from->count - 1, sizeof *tree->nodes);
  if (tree->nodes == NULL)
    return false;
  tree->count = from->count - 1;
  for (size_t i = 0; i < tree->count; i++)
    tree->nodes[i] = (struct chain_node){
        .parent = without_root(from->nodes[i + 1].parent),
        .item = from->nodes[i + 1].item};
  return true;
}

/* Adds what the samples count to their nodes. */
static void
add_samples(struct chain_tree *tree)
{
  const struct reduction *reduction = tree->reduction;
  for (size_t i = 0; i < reduction->profile->sample_count; i++) {
    struct sample_count count;
    uint32_t node = without_root(tree->calls.of_sample[i]);
    uint32_t called = without_root(tree->of_calls[i]);
    tree->of_sample[i] = node;
    tree->of_calls[i] = called;
    if (node == INDEX_NONE && called == INDEX_NONE)
      continue;
    selection_count(&reduction->selection, i, &count);
    for (int m = 0; node != INDEX_NONE && m < MEASURE_COUNT; m++)
      tree->nodes[node].counts[m] += count.counts[m];
    if (called != INDEX_NONE)
      tree->nodes[called].calls += count.calls;
  }
  for (size_t i = 0; i < tree->count && tree->items != CHAIN_OF_FRAMES; i++)
    if (reduction->graph.nodes[tree->nodes[i].item].calls == CALLS_UNKNOWN)
      tree->nodes[i].calls = CALLS_UNKNOWN;
}

bool
chain_tree_init(struct chain_tree *tree, const struct reduction *reduction,
                enum chain_items items)
{
  size_t samples = reduction->profile->sample_count;
  memset(tree, 0, sizeof *tree);
  tree->reduction = reduction;
  tree->items = items;
  tree->of_sample = array_zeroed(samples, sizeof *tree->of_sample);
  tree->of_calls = array_zeroed(samples, sizeof *tree->of_calls);
  if (tree->of_sample == NULL || tree->of_calls == NULL ||
      !call_tree_init(&tree->calls, &reduction->selection,
                      items == CHAIN_OF_FRAMES ? ITEMS_ARE_FRAMES
                                               : ITEMS_ARE_FUNCTIONS,
                      reduction->tree.merges_runs) ||
      !place_calls(tree) || !make_nodes(tree))
    return false;
  add_samples(tree);
  return chain_tree_order(tree);
}

void
chain_tree_release(struct chain_tree *tree)
{
  call_tree_release(&tree->calls);
  free(tree->nodes);
  free(tree->of_sample);
  free(tree->of_calls);
  memset(tree, 0, sizeof *tree);
}
