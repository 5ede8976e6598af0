/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Finds or adds the child of a node: among its youngest children one by one,
 * then in the map, where a child goes that a new one pushes out of them. */

#include "base/tree.h"

void
tree_init(struct tree *tree)
{
  memset(tree, 0, sizeof *tree);
  ARRAY_PUSH(tree->nodes, tree->count, tree->capacity,
             (struct tree_node){TREE_ROOT, INDEX_NONE, TREE_ROOT, TREE_ROOT});
}

/* Returns the node of ITEM below PARENT, or INDEX_NONE.  Sets *LAST to the
 * oldest child in the window when that is full, else TREE_ROOT. */
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

uint32_t *
tree_walk(const struct tree *tree,
          int (*compare)(const void *, const void *, void *), void *context)
{
  const struct tree_node *nodes = tree->nodes;
  uint32_t *places = pool_zeroed(tree->count, sizeof *places);
  uint32_t *below = pool_zeroed(tree->count, sizeof *below); /* how many */
  uint32_t *children = NULL;
  size_t capacity = 0;
  for (size_t i = tree->count; i-- > TREE_ROOT + 1;)
    below[nodes[i].parent] += 1 + below[i];
  for (size_t i = 0; i < tree->count; i++) {
    uint32_t next = places[i] + 1;
    size_t count = 0;
    for (uint32_t c = nodes[i].first_child; c != TREE_ROOT;
         c = nodes[c].next_sibling)
      ARRAY_PUSH(children, count, capacity, c);
    if (count > 1)
      qsort_r(children, count, sizeof *children, compare, context);
    for (size_t c = 0; c < count; c++) {
      places[children[c]] = next;
      next += 1 + below[children[c]];
    }
  }
  uint32_t *walk = below; /* it is not needed any more */
  for (size_t i = 0; i < tree->count; i++)
    walk[places[i]] = (uint32_t)i;
  pool_free(children);
  pool_free(places);
  return walk;
}
