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
 * The chains that allocated come first, with what leads to them, in the order
 * of the samples; then those that were only called.
 *
 * Calls, by one rule for the graph, the contexts, files and the page: a call
 * counts at the node of the function that was called, and for the pair of
 * that function and its caller.  What was inlined counts as if it had been
 * called, as often as what it is in.  Where functions show for what they
 * allocate (--focus, --phase), functions without allocations are no items,
 * and calls of them or by them, and those of a pair without allocations, do
 * not count.
 */

#pragma once

#include "analysis/selection.h"
#include "base/tree.h"

struct call_item {
  const char *name;  /* of the frame table, or constant */
  uint32_t function; /* number in the frame table of one with this name;
                        INDEX_NONE: the item stands for a whole chain,
                        of which nothing shows or which has a label */
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

/* Calls that count at a node; the sample says how many. */
struct call_place {
  uint32_t node, sample; /* indices into the tree and the profile */
};

/* A pair of items that follow each other on some chain. */
struct call_pair {
  uint32_t caller, callee;
};

struct call_tree {
  const struct selection *selection;
  bool by_frames;   /* items are frames, else functions */
  bool merges_runs; /* frames in a row that show as one function are one node,
                       that of the rootmost: see frames.h */
  struct tree tree;
  size_t allocating; /* count of the nodes, root included, that allocated or
                        lead to one; the nodes after them have only calls */
  struct call_item *items;
  size_t item_count, item_capacity;
  uint32_t *item_of;        /* by name id, or by frame; INDEX_NONE: none */
  struct row_table keys;    /* by item: the values that identify it */
  uint32_t *of_sample;      /* by sample: the node that has its allocations;
                               INDEX_NONE: they do not count */
  struct call_place *calls; /* those that count, in the order of samples */
  size_t call_count, call_capacity;

  /* of functions: */
  struct call_pair *pairs;
  size_t pair_count, pair_capacity;
  size_t allocating_pairs; /* count of the pairs on chains that allocated; the
                              others come after them */
  uint32_t *pair_of;       /* by node; INDEX_NONE: it has no caller */
  size_t pair_of_capacity;
};

/* Makes the tree of what SELECTION keeps, which must outlive it, with
 * functions as items.  Linear in the nodes and samples of the profile. */
void call_tree_init(struct call_tree *tree, const struct selection *selection,
                    bool merges_runs);

/* Makes the tree of the same chains as FUNCTIONS, with frames as items.  It
 * has calls if CALLED is true.  FUNCTIONS need not outlive it, but their
 * selection must. */
void call_tree_by_frames(struct call_tree *tree,
                         const struct call_tree *functions, bool called);

/* Returns the item at the end of NODE. */
static inline const struct call_item *
call_tree_leaf(const struct call_tree *tree, size_t node)
{
  return &tree->items[tree->tree.nodes[node].item];
}

/* ---- in order, with sums ---- */

/* Allocations and calls at the end of a chain. */
struct chain_counts {
  uint64_t counts[MEASURE_COUNT];
  uint64_t calls; /* or CALLS_UNKNOWN; in a tree by frames, those that were
                     counted */
  uint64_t bytes_below, allocs_below; /* of the node and all below it */
};

/* The chains of a tree as they are written: parents before children, children
 * by what was allocated in and below them, descending, then by name. */
struct chains {
  const struct call_tree *tree;
  size_t count;                /* of chains, with the empty one */
  uint32_t *walk;              /* their nodes in order, the root first */
  uint32_t *places;            /* by node: its index in `walk'; 0: left out */
  struct chain_counts *counts; /* by node */
};

/* Fills CHAINS with those of TREE.  If functions show for what they allocate,
 * and not CALLED, chains that were only called are left out. */
void chains_init(struct chains *chains, const struct call_tree *tree,
                 bool called);

/* Returns whether anything was allocated or called at the end of NODE.  Where
 * calls are not counted, only allocations tell. */
static inline bool
chain_counts_any(const struct chains *chains, size_t node)
{
  const struct chain_counts *counts = &chains->counts[node];
  return counts->counts[MEASURE_BYTES] != 0 ||
         counts->counts[MEASURE_ALLOCS] != 0 ||
         (counts->calls != 0 && chains->tree->selection->counts_calls);
}
