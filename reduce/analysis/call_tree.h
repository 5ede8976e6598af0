/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The chains that show, as a tree: what is left of those of the profile when
 * the selection has cut, hidden and grouped what it does.  A node is a
 * distinct chain, whose parent is the chain without its leaf; equal chains,
 * of whatever type, thread or file, are one.  Its items are functions by name
 * (the nodes of the call graph), or frames that differ in function, line or
 * address, or in that one was inlined.  What stands for a chain of which
 * nothing shows is an item of its own ("[runtime]", "[hidden]", "[session]",
 * "[unknown]"), so that sums stay complete.
 *
 * call_tree_init makes what the call graph is made of: the chains that
 * allocated, and what leads to them.  call_tree_of_chains makes what is
 * written: with those that were only called, in order, and with sums.
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
  uint32_t file;     /* of the line: as in struct frame */
  uint64_t address;
  bool inlined; /* of frames: as in struct frame */
};

/* Returns whether the line of ITEM, of a function of FRAMES, is in another
 * file than where the function begins. */
static inline bool
call_item_is_elsewhere(const struct frame_table *frames,
                       const struct call_item *item)
{
  const uint32_t file = frames->functions[item->function].file;
  return item->line > 0 && item->file != 0 && file != 0 && item->file != file;
}

/* Calls at a node. */
struct call_place {
  uint32_t node, sample; /* the sample has the number */
};

/* What was allocated and called at the end of a chain. */
struct chain_counts {
  uint64_t counts[MEASURE_COUNT];
  uint64_t calls; /* or CALLS_UNKNOWN; in a tree by frames, those that were
                     counted */
  uint64_t bytes_below, allocs_below; /* with those of the node */
};

struct call_tree {
  const struct selection *selection;
  enum call_items kind;
  bool merges_runs; /* of frames of one item in a row the rootmost stands for
                       all: see grouping.h */
  struct tree tree;
  struct call_item *items;
  size_t item_count, item_capacity;
  uint32_t *item_of;     /* by name id, or by frame; INDEX_NONE: none yet */
  struct row_table keys; /* by item: what makes it differ */
  uint32_t *of_node;     /* by node of the profile; INDEX_NONE: none yet */
  uint32_t *of_sample;   /* by sample: the node that has its allocations;
                            INDEX_NONE: they do not count */
  uint32_t *path;        /* of the chain in hand */
  size_t path_capacity;
  uint32_t *shown; /* frames of the node in hand */

  /* of call_tree_of_chains: */
  struct call_place *calls;
  size_t call_count, call_capacity;
  struct chain_counts *counts; /* by node */
  uint32_t *walk;              /* the nodes in order, the root first */
  uint32_t *places;            /* by node: where in it */
};

/* Makes the tree of what SELECTION keeps, which must outlive it.  Nodes and
 * items are numbered in the order in which samples lead to them, from the
 * root.  Linear in the nodes and samples of the profile. */
void call_tree_init(struct call_tree *tree, const struct selection *selection,
                    enum call_items kind, bool merges_runs);

/* Makes the tree of the same chains as GRAPH, from which the call graph was
 * made, and of calls.  Its walk comes to parents before children, to children
 * by what was allocated in and below them, descending, then by name.
 *
 * What was inlined counts as if it had been called, as often as what it is
 * in.  In a tree by frames, chains that were only called become nodes, too.
 * One by functions has the items of GRAPH, and gets the chains of these,
 * unless functions are there for their allocations alone (--focus, --phase):
 * then calls count on the chains that it has without them.  Where all calls
 * are asked for, their chains are added even then, without functions that are
 * no items.  Linear in the frames, but for sorting. */
void call_tree_of_chains(struct call_tree *tree,
                         const struct call_tree *graph, enum call_items kind);

/* The item of FRAME, of the frame table, that shows.  INDEX_NONE: nothing led
 * to it; with MAKE it is made then. */
uint32_t call_tree_item(struct call_tree *tree, uint32_t frame, bool make);

/* The frame that called the functions of NODE, of the profile: INDEX_NONE
 * when none that shows did. */
uint32_t call_tree_caller(const struct call_tree *tree, uint32_t node);

/* The item at the end of NODE. */
static inline const struct call_item *
call_tree_leaf(const struct call_tree *tree, size_t node)
{
  return &tree->items[tree->tree.nodes[node].item];
}

/* Returns whether anything was allocated or called at the end of NODE.  Where
 * calls are not counted, only allocations tell. */
static inline bool
chain_counts_any(const struct call_tree *tree, size_t node)
{
  const struct chain_counts *counts = &tree->counts[node];
  return counts->counts[MEASURE_BYTES] != 0 ||
         counts->counts[MEASURE_ALLOCS] != 0 ||
         (counts->calls != 0 && tree->selection->counts_calls);
}

#endif
