/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The chains that show, as a tree: what is left of those of the profile when
 * the selection has cut, hidden and grouped what it does.  Its items are
 * functions by name (the nodes of the call graph), or frames that differ in
 * function, line or address, or in that one was inlined.  What stands for a
 * chain of which nothing shows is an item of its own ("[runtime]",
 * "[hidden]", "[session]", "[unknown]"), so that sums stay complete.
 *
 * Its nodes are the chains that allocated, and what leads to them; those that
 * were only called come behind them: call_tree_place_calls.
 */

#ifndef MPROF_CALL_TREE_H
#define MPROF_CALL_TREE_H

#include "analysis/selection.h"
#include "base/tree.h"

enum call_items {
  ITEMS_ARE_FUNCTIONS,
  ITEMS_ARE_CALLED, /* functions; with all that the call graph counts */
  ITEMS_ARE_FRAMES
};

struct call_item {
  const char *name;  /* of the frame table, or constant */
  uint32_t function; /* one of the frame table with this name; INDEX_NONE: the
                        item stands for a chain of which nothing shows */
  int64_t line;      /* of frames; 0 when not known */
  uint64_t address;
  bool inlined; /* of frames: as in struct frame */
};

struct call_tree {
  const struct selection *selection;
  enum call_items kind;
  bool merges_runs; /* of frames of one item in a row the rootmost stands for
                       all: see grouping.h */
  struct tree tree;
  struct call_item *items;
  size_t item_count, item_capacity;
  uint32_t *item_of;      /* by name id, or by frame; INDEX_NONE: none yet */
  struct row_table keys;  /* by item: what makes it differ */
  uint32_t *of_node;      /* by node of the profile; INDEX_NONE: none yet */
  uint32_t *of_sample;    /* by sample: the node that has its allocations;
                             INDEX_NONE: they do not count */
  uint32_t *call_nodes;   /* by call: the node that has it, once placed */
  uint32_t *call_samples; /* by call: the sample, which has the number */
  size_t call_count, call_capacity, sample_capacity;
  uint32_t *path; /* of the chain in hand */
  size_t path_capacity;
  uint32_t *shown; /* frames of the node in hand */
};

/* Makes the tree of what SELECTION keeps, which must outlive it.  Nodes and
 * items are numbered in the order in which samples lead to them, from the
 * root.  Linear in the nodes and samples of the profile. */
void call_tree_init(struct call_tree *tree, const struct selection *selection,
                    enum call_items kind, bool merges_runs);

/* The item of FRAME, of the frame table, that shows.  INDEX_NONE: nothing led
 * to it; with MAKE it is made then. */
uint32_t call_tree_item(struct call_tree *tree, uint32_t frame, bool make);

/* The frame that called the functions of NODE, of the profile: INDEX_NONE
 * when none that shows did. */
uint32_t call_tree_caller(const struct call_tree *tree, uint32_t node);

/* Finds the nodes that have calls: call_nodes.  What was inlined counts as if
 * it had been called, as often as what it is in.  In a tree by frames, chains
 * that were only called become nodes, too.  One by functions has the items of
 * GRAPH from here on, from which the call graph was made, and gets the chains
 * of these, unless functions are there for their allocations alone (--focus,
 * --phase): then calls count on the chains that it has without them.  Where
 * all calls are asked for, their chains are added even then, without
 * functions that are no items. */
void call_tree_place_calls(struct call_tree *tree,
                           const struct call_tree *graph);

#endif
