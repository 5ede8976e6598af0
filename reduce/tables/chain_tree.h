/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The chains that show, as a tree: one node for each distinct chain, whose
 * parent is the chain without its leaf.  Equal chains, of whatever type,
 * thread or file, are one node.
 *
 * Nodes come in the order of a walk: parents before children, children by
 * what was allocated in and below them, descending, then by name.  So the
 * nodes below a node follow it at once.
 *
 * Calls are counted as in the call graph, of functions that show.  Where that
 * has functions for their allocations alone (--focus, --phase), a tree by
 * functions has the calls of the chains that it has without them; one by
 * calls has all of them.
 */

#ifndef MPROF_CHAIN_TREE_H
#define MPROF_CHAIN_TREE_H

#include "analysis/reduction.h"

/* What a chain is made of. */
enum chain_items {
  CHAIN_OF_FUNCTIONS, /* nodes of the call graph */
  CHAIN_OF_CALLS,     /* the same; besides the chains of all calls that the
                         graph counts, without functions that it has not */
  CHAIN_OF_FRAMES     /* frames that differ in function, line or address */
};

struct chain_node {
  uint32_t parent; /* an earlier node; INDEX_NONE: the item is a root */
  uint32_t item;   /* the leaf */
  uint64_t counts[MEASURE_COUNT]; /* of the leaf itself, on this chain */
  uint64_t calls; /* of the leaf, on this chain, or CALLS_UNKNOWN; in a tree
                     by frames, those that were counted */
  uint64_t below_allocs, below_bytes; /* in this node and all below it */
};

struct chain_tree {
  const struct reduction *reduction; /* not owned */
  enum chain_items items;
  struct call_tree calls; /* which has the items */
  struct chain_node *nodes;
  size_t count;
  uint32_t *of_sample; /* by sample: the node that has its allocations, */
  uint32_t *of_calls;  /* and the one that has its calls; INDEX_NONE: none */
};

/* False when memory runs out; release TREE even then.  Linear in the frames,
 * but for sorting. */
bool chain_tree_init(struct chain_tree *tree,
                     const struct reduction *reduction,
                     enum chain_items items);
void chain_tree_release(struct chain_tree *tree);

/* Whether NODE itself allocated anything. */
static inline bool
chain_node_allocates(const struct chain_node *node)
{
  return node->counts[MEASURE_BYTES] != 0 ||
         node->counts[MEASURE_ALLOCS] != 0;
}

/* The name of ITEM; valid as long as the tree's reduction. */
static inline const char *
chain_item_name(const struct chain_tree *tree, uint32_t item)
{
  return tree->calls.items[item].name;
}

#endif
