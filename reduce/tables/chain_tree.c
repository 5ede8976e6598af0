/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The nodes of the tree that the analysis has, with those of chains that were
 * only called behind them, are brought into order at the end: what is below
 * each is summed from the last to the first, children are sorted, and a walk
 * with an explicit stack gives the new numbers.
 */

#include "tables/chain_tree.h"

#include "base/array.h"

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

/* A node among its siblings. */
struct sibling {
  uint32_t node, parent;
  uint64_t bytes, allocs;
  const char *name;
};

/* By parent, INDEX_NONE being the last; then by bytes and allocations in and
 * below the node, descending, then by name and by first appearance. */
static int
compare_siblings(const void *left, const void *right)
{
  const struct sibling *a = left;
  const struct sibling *b = right;
  if (a->parent != b->parent)
    return a->parent < b->parent ? -1 : 1;
  if (a->bytes != b->bytes)
    return a->bytes > b->bytes ? -1 : 1;
  if (a->allocs != b->allocs)
    return a->allocs > b->allocs ? -1 : 1;
  int order = strcmp(a->name, b->name);
  if (order != 0)
    return order;
  return a->node < b->node ? -1 : a->node > b->node;
}

/* Sums up what is below each node, and fills SIBLINGS, sorted. */
static void
sort_siblings(struct chain_tree *tree, struct sibling *siblings)
{
  for (size_t i = 0; i < tree->count; i++) {
    tree->nodes[i].below_allocs = tree->nodes[i].counts[MEASURE_ALLOCS];
    tree->nodes[i].below_bytes = tree->nodes[i].counts[MEASURE_BYTES];
  }
  for (size_t i = tree->count; i-- > 0;) {
    const struct chain_node *node = &tree->nodes[i];
    siblings[i] = (struct sibling){(uint32_t)i, node->parent,
                                   node->below_bytes, node->below_allocs,
                                   chain_item_name(tree, node->item)};
    if (node->parent == INDEX_NONE)
      continue;
    tree->nodes[node->parent].below_allocs += node->below_allocs;
    tree->nodes[node->parent].below_bytes += node->below_bytes;
  }
  array_sort(siblings, tree->count, sizeof *siblings, compare_siblings);
}

/* Numbers the nodes by a walk: NUMBERS[i] is the new number of node i, ORDER
 * the inverse.  ENDS[p] gets the end of p's children among SIBLINGS; STACK
 * has room for all nodes. */
static void
walk(const struct chain_tree *tree, const struct sibling *siblings,
     uint32_t *numbers, uint32_t *order, uint32_t *ends, uint32_t *stack)
{
  size_t depth = 0;
  uint32_t next = 0;
  size_t i = tree->count;
  while (i > 0 && siblings[i - 1].parent == INDEX_NONE)
    stack[depth++] = siblings[--i].node;
  for (size_t j = 0; j < i; j++)
    ends[siblings[j].parent] = (uint32_t)j + 1;
  while (depth > 0) {
    uint32_t node = stack[--depth];
    numbers[node] = next;
    order[next++] = node;
    for (uint32_t j = ends[node]; j > 0 && siblings[j - 1].parent == node;
         j--)
      stack[depth++] = siblings[j - 1].node;
  }
}

/* Brings the nodes into the order of a walk. */
static bool
order_nodes(struct chain_tree *tree)
{
  size_t count = tree->count;
  struct sibling *siblings = array_zeroed(count, sizeof *siblings);
  struct chain_node *nodes = array_zeroed(count, sizeof *nodes);
  uint32_t *room = array_zeroed(4 * count, sizeof *room);
  bool good = siblings != NULL && nodes != NULL && room != NULL;
  if (good) {
    uint32_t *numbers = room;
    uint32_t *order = room + count;
    sort_siblings(tree, siblings);
    walk(tree, siblings, numbers, order, room + 2 * count, room + 3 * count);
    for (size_t i = 0; i < count; i++) {
      nodes[i] = tree->nodes[order[i]];
      if (nodes[i].parent != INDEX_NONE)
        nodes[i].parent = numbers[nodes[i].parent];
    }
    for (size_t i = 0; i < tree->reduction->profile->sample_count; i++) {
      if (tree->of_sample[i] != INDEX_NONE)
        tree->of_sample[i] = numbers[tree->of_sample[i]];
      if (tree->of_calls[i] != INDEX_NONE)
        tree->of_calls[i] = numbers[tree->of_calls[i]];
    }
    free(tree->nodes);
    tree->nodes = nodes;
  } else {
    free(nodes);
  }
  free(siblings);
  free(room);
  return good;
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
  return order_nodes(tree);
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
