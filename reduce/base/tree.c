/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* A child that a new one pushes out of the window goes into the map. */

#include "base/tree.h"

#include "base/array.h"

void
tree_init(struct tree *tree)
{
  memset(tree, 0, sizeof *tree);
  ARRAY_PUSH(tree->nodes, tree->count, tree->capacity,
             (struct tree_node){TREE_ROOT, INDEX_NONE, TREE_ROOT, TREE_ROOT});
}

/* The node of ITEM below PARENT, or INDEX_NONE.  *LAST gets the oldest child
 * in the window when that is full, else TREE_ROOT. */
static uint32_t
search(const struct tree *tree, uint32_t parent, uint32_t item,
       uint32_t *last)
{
  uint32_t child = tree->nodes[parent].first_child;
  *last = TREE_ROOT;
  for (int i = 0; i < TREE_WINDOW && child != TREE_ROOT; i++) {
    if (tree->nodes[child].item == item)
      return child;
    if (i == TREE_WINDOW - 1)
      *last = child;
    child = tree->nodes[child].next_sibling;
  }
  return *last == TREE_ROOT
             ? INDEX_NONE
             : index_map_find(&tree->others, index_pair(parent, item));
}

uint32_t
tree_find(const struct tree *tree, uint32_t parent, uint32_t item)
{
  uint32_t last;
  return search(tree, parent, item, &last);
}

uint32_t
tree_child(struct tree *tree, uint32_t parent, uint32_t item)
{
  uint32_t last;
  uint32_t child = search(tree, parent, item, &last);
  if (child != INDEX_NONE)
    return child;
  if (tree->count >= INDEX_NONE)
    fail_memory();
  if (last != TREE_ROOT)
    index_map_add(&tree->others, index_pair(parent, tree->nodes[last].item),
                  last);
  child = (uint32_t)tree->count;
  ARRAY_PUSH(tree->nodes, tree->count, tree->capacity,
             (struct tree_node){parent, item, TREE_ROOT,
                                tree->nodes[parent].first_child});
  tree->nodes[parent].first_child = child;
  return child;
}

/* How many nodes are in and below each. */
static uint32_t *
find_sizes(const struct tree *tree)
{
  uint32_t *sizes = pool_zeroed(tree->count, sizeof *sizes);
  for (size_t i = tree->count; i-- > 0;) {
    sizes[i]++;
    if (i != TREE_ROOT)
      sizes[tree->nodes[i].parent] += sizes[i];
  }
  return sizes;
}

uint32_t *
tree_order(struct tree *tree,
           int (*compare)(const void *, const void *, void *), void *context)
{
  const struct tree_node *old = tree->nodes;
  struct tree_node *nodes = pool_alloc(tree->count * sizeof *nodes);
  uint32_t *numbers = pool_zeroed(tree->count, sizeof *numbers);
  uint32_t *sizes = find_sizes(tree);
  uint32_t *children = NULL;
  size_t capacity = 0;
  nodes[TREE_ROOT] = old[TREE_ROOT];
  for (size_t i = 0; i < tree->count; i++) {
    uint32_t next = numbers[i] + 1;
    size_t count = 0;
    for (uint32_t c = old[i].first_child; c != TREE_ROOT;
         c = old[c].next_sibling)
      ARRAY_PUSH(children, count, capacity, c);
    if (count > 1)
      qsort_r(children, count, sizeof *children, compare, context);
    for (size_t c = 0; c < count; c++) {
      numbers[children[c]] = next;
      nodes[next] = old[children[c]];
      nodes[next].parent = numbers[i];
      next += sizes[children[c]];
    }
  }
  pool_free(sizes);
  pool_free(children);
  pool_free(tree->nodes);
  index_map_release(&tree->others);
  tree->nodes = nodes;
  tree->capacity = tree->count;
  return numbers;
}
