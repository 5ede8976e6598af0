/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The nodes of the tree that the analysis has, with those of chains that were
 * only called behind them, are brought into order at the end: what is below
 * each is summed from the last to the first, and children are sorted.
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
  uint32_t node, parent; /* the latter from 1 on, 0: none */
  uint64_t bytes, allocs;
  const char *name;
};

/* By parent; then by bytes and allocations in and below the node,
 * descending, then by name and by first appearance. */
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

/* Sums up what is below each node, and fills SIBLINGS, sorted; SIZES, which
 * are zero, get how many nodes each has in and below it. */
static void
sort_siblings(struct chain_tree *tree, struct sibling *siblings,
              uint32_t *sizes)
{
  for (size_t i = tree->count; i-- > 0;) {
    struct chain_node *node = &tree->nodes[i];
    node->below_allocs += node->counts[MEASURE_ALLOCS];
    node->below_bytes += node->counts[MEASURE_BYTES];
    sizes[i]++;
    siblings[i] = (struct sibling){
        (uint32_t)i, node->parent == INDEX_NONE ? 0 : node->parent + 1,
        node->below_bytes, node->below_allocs,
        chain_item_name(tree, node->item)};
    if (node->parent == INDEX_NONE)
      continue;
    tree->nodes[node->parent].below_allocs += node->below_allocs;
    tree->nodes[node->parent].below_bytes += node->below_bytes;
    sizes[node->parent] += sizes[i];
  }
  array_sort(siblings, tree->count, sizeof *siblings, compare_siblings);
}

/* Brings the nodes into the order of a walk: a node follows its parent, or
 * the sibling before it with all that is below that.  Siblings whose parent
 * has a smaller number come first, so that it has its new one by then. */
static bool
order_nodes(struct chain_tree *tree)
{
  size_t count = tree->count;
  struct sibling *siblings = array_zeroed(count, sizeof *siblings);
  struct chain_node *nodes = array_zeroed(count, sizeof *nodes);
  uint32_t *sizes = array_zeroed(count, sizeof *sizes);
  uint32_t *numbers = array_zeroed(count, sizeof *numbers); /* new ones */
  uint32_t *next = array_zeroed(count + 1, sizeof *next); /* for a child */
  bool good = siblings != NULL && nodes != NULL && sizes != NULL &&
              numbers != NULL && next != NULL;
  if (good) {
    sort_siblings(tree, siblings, sizes);
    for (size_t i = 0; i < count; i++) {
      const struct sibling *s = &siblings[i];
      uint32_t number = next[s->parent];
      next[s->parent] += sizes[s->node];
      next[s->node + 1] = number + 1;
      numbers[s->node] = number;
      nodes[number] = tree->nodes[s->node];
      if (s->parent != 0)
        nodes[number].parent = numbers[s->parent - 1];
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
  free(sizes);
  free(numbers);
  free(next);
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
