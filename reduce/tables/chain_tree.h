/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The tree of the chains that show, in order, with what was allocated and
 * called at its nodes: a node for each distinct chain, whose parent is the
 * chain without its leaf.  Equal chains, of whatever type, thread or file,
 * are one node.  Node 0 is the root, the empty chain.
 *
 * Nodes come in the order of a walk: parents before children, children by
 * what was allocated in and below them, descending, then by name.  So the
 * nodes below a node follow it at once.
 */

#ifndef MPROF_CHAIN_TREE_H
#define MPROF_CHAIN_TREE_H

#include "analysis/reduction.h"
#include "base/lists.h"

struct chain_node {
  uint32_t parent; /* an earlier node; the root's is itself */
  uint32_t item;   /* the leaf: a node of the call graph, or a frame;
                      INDEX_NONE for the root */
  uint64_t counts[MEASURE_COUNT]; /* of the leaf itself, on this chain */
  uint64_t calls; /* of the leaf, on this chain, or CALLS_UNKNOWN; in a tree
                     by frames, those that were counted */
  uint64_t below_allocs, below_bytes; /* in this node and all below it */
};

struct chain_tree {
  const struct reduction *reduction;
  struct call_tree calls; /* its of_sample and call_nodes have the numbers of
                             nodes here */
  struct chain_node *nodes;
  size_t count;
};

/* Linear in the frames, but for sorting. */
void chain_tree_init(struct chain_tree *tree,
                     const struct reduction *reduction, enum call_items kind);

/* Whether all chains of nodes that allocated or were called, each written in
 * full, with NAMES or numbers for them, are no more than a file may hold, or
 * than is in proportion to the profile; else SINK fails.  The chains that
 * allocated always are; but all that begin another one may have calls. */
bool chain_tree_fits(const struct chain_tree *tree, bool names,
                     struct sink *sink);

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
  return tree->calls.kind == ITEMS_ARE_FRAMES
             ? tree->calls.items[item].name
             : tree->reduction->graph.nodes[item].name;
}

/* ---- what is at a node ---- */

enum rows_of {
  ROWS_OF_TYPES, /* allocations, whatever the sizes of the objects */
  ROWS_OF_SIZES, /* allocations, by size, too */
  ROWS_OF_CALLS
};

/* What tells the rows of a node apart, in the order of sorting. */
enum row_key {
  ROW_TYPE, /* index into the profile's types; of calls 0, as sizes are */
  ROW_SIZE_KIND,
  ROW_OBJECT_BYTES,
  ROW_THREAD, /* index into the profile's threads */
  ROW_REGION, /* likewise */
  ROW_PHASE,
  ROW_UNSEEN, /* which functions on the chain do not show, if that is asked */
  ROW_KEYS
};

/* Samples of one node that are alike in all that is asked for. */
struct sample_row {
  uint32_t node;
  uint64_t keys[ROW_KEYS];
  uint64_t counts[COLUMN_OF_CALLS + 1]; /* by enum measure; calls */
  uint32_t sample; /* of allocations: the first of them */
};

struct sample_rows {
  const struct chain_tree *tree;
  enum rows_of of;
  const uint32_t *unseen; /* by node of the profile: what does not show; NULL:
                             it tells no rows apart */
  struct lists samples;   /* by node */
  struct sample_row *rows;
  size_t count, capacity;
  struct survival_figures *survival; /* by row: of sizes, if it is known */
  size_t survival_capacity;
};

/* No rows, of TREE; then appends those of NODE, sorted by keys.  To start
 * again, set the count to zero. */
void sample_rows_init(struct sample_rows *rows, const struct chain_tree *tree,
                      enum rows_of of);
void sample_rows_add(struct sample_rows *rows, uint32_t node);

#endif
