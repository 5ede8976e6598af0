/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* What is below each node is summed from the last to the first, children are
 * sorted, and a walk with an explicit stack gives the new numbers.
 */

#include "tables/chain_order.h"

#include "base/array.h"

#include <string.h>

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

bool
chain_tree_order(struct chain_tree *tree)
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
