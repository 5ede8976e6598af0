/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* A child that a new one pushes out of the window goes into the map. */

#include "base/tree.h"

#include "base/array.h"

#include <string.h>

bool
tree_init(struct tree *tree)
{
  memset(tree, 0, sizeof *tree);
  tree->nodes = array_reserve(NULL, &tree->capacity, 1, sizeof *tree->nodes);
  if (tree->nodes == NULL)
    return false;
  tree->nodes[tree->count++] =
      (struct tree_node){TREE_ROOT, INDEX_NONE, TREE_ROOT, TREE_ROOT};
  return true;
}

void
tree_release(struct tree *tree)
{
  free(tree->nodes);
  index_map_release(&tree->others);
  memset(tree, 0, sizeof *tree);
}

/* Looks for ITEM among the children of PARENT in the window, of which *LAST
 * gets the oldest when it is full, else TREE_ROOT. */
static uint32_t
search_window(const struct tree *tree, uint32_t parent, uint32_t item,
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
  return INDEX_NONE;
}

uint32_t
tree_find(const struct tree *tree, uint32_t parent, uint32_t item)
{
  uint32_t last;
  uint32_t child = search_window(tree, parent, item, &last);
  return child == INDEX_NONE && last != TREE_ROOT
             ? index_map_find(&tree->others, index_pair(parent, item))
             : child;
}

uint32_t
tree_child(struct tree *tree, uint32_t parent, uint32_t item)
{
  uint32_t last;
  uint32_t child = search_window(tree, parent, item, &last);
  if (child == INDEX_NONE && last != TREE_ROOT)
    child = index_map_find(&tree->others, index_pair(parent, item));
  if (child != INDEX_NONE)
    return child;
  struct tree_node *nodes = array_reserve(tree->nodes, &tree->capacity,
                                          tree->count + 1, sizeof *nodes);
  if (nodes == NULL || tree->count >= INDEX_NONE)
    return INDEX_NONE;
  tree->nodes = nodes;
  if (last != TREE_ROOT &&
      !index_map_add(&tree->others, index_pair(parent, nodes[last].item),
                     last))
    return INDEX_NONE;
  child = (uint32_t)tree->count++;
  nodes[child] = (struct tree_node){parent, item, TREE_ROOT,
                                    nodes[parent].first_child};
  nodes[parent].first_child = child;
  return child;
}
