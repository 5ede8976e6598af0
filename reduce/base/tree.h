/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* A tree of chains: a node for each distinct chain of items, whose parent is
 * the chain without its last item.  Items are numbers that mean something to
 * the owner.  Node 0 is the root, the empty chain.  Parents have smaller
 * numbers than their children; nodes are never removed.
 *
 * Children are a list, the last one made first, since chains that follow each
 * other are alike: a search looks at TREE_WINDOW of them, nearly always all,
 * which are near each other in memory.  (With one hash table for all nodes
 * half of the time of a report of 900,000 contexts went into cache misses
 * there.)  Older ones of a node with many are found by hashing.  Not safe for
 * two threads.
 */

#pragma once

#include "base/index_map.h"

enum { TREE_ROOT = 0, TREE_WINDOW = 16 };

struct tree_node {
  uint32_t parent;       /* the root's is itself */
  uint32_t item;         /* INDEX_NONE for the root */
  uint32_t first_child;  /* TREE_ROOT: none */
  uint32_t next_sibling; /* likewise */
};

struct tree {
  struct tree_node *nodes;
  size_t count, capacity;
  struct index_map others; /* parent, item -> children beyond the window */
};

/* Makes TREE one of the root alone, in the pool in use. */
void tree_init(struct tree *tree);

/* Returns the node of ITEM below PARENT; makes it if it is new. */
uint32_t tree_child(struct tree *tree, uint32_t parent, uint32_t item);

/* Returns the numbers of all nodes, as many as TREE has, in the order of a
 * walk: the root first, parents before children, siblings by COMPARE.  This
 * gets pointers to two numbers, and CONTEXT.  The array is in the pool in
 * use. */
uint32_t *tree_walk(const struct tree *tree,
                    int (*compare)(const void *, const void *, void *),
                    void *context);
