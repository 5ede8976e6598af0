/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The call graph: functions (nodes), caller-callee pairs (arcs), and what
 * each is responsible for.
 *
 * Every figure is computed from whole chains.  On each chain a function
 * counts once and an arc counts once, however often recursion passes them:
 * inclusive figures are exact, also inside a cycle, and nothing is
 * apportioned.  Functions of one name are one node.  A chain of which no
 * frame shows belongs to a node of its own: see call_tree.h.
 *
 * Where the calls of a function are not counted, those of its node and of all
 * arcs into it are unknown; those of arcs out of it are known.
 *
 * Node i's arcs to its callees are arcs[node.first_arc ... + arc_count);
 * its arcs from its callers are found through in_arcs in the same way.
 * A finished graph is only read; then several threads may share it.
 */

#ifndef MPROF_CALL_GRAPH_H
#define MPROF_CALL_GRAPH_H

#include "analysis/call_tree.h"

struct graph_node {
  const char *name;            /* of the frame table, or constant */
  uint32_t function;           /* one of the frame table with this name, or
                                  INDEX_NONE */
  struct figures self;         /* allocated by the function itself */
  struct figures inclusive;    /* by it and all below it; once a chain */
  struct figures root;         /* of chains that start here: no caller */
  uint64_t calls;              /* activations that led to allocation, or
                                  CALLS_UNKNOWN */
  uint64_t root_calls;         /* those without a caller; likewise */
  size_t depth;                /* fewest callers above it on any chain */
  uint32_t cycle;              /* number of its cycle from 1, 0: in none */
  size_t first_arc, arc_count; /* to callees, in arcs */
  size_t first_in_arc, in_arc_count; /* from callers, in in_arcs */
  size_t first_type, type_count;     /* in self_types */
  uint32_t uses; /* while it is built: how often it is on the chain in hand */
};

struct graph_arc {
  uint32_t caller;
  uint32_t callee;          /* equal to caller: direct recursion */
  struct figures inclusive; /* of chains that pass here; once a chain */
  uint64_t calls;           /* as of nodes */
  uint32_t uses;            /* likewise */
};

struct call_graph {
  uint64_t context_count; /* distinct chains at whose end something was
                             allocated, whatever it was */
  uint64_t calls;         /* of all functions whose calls are known */
  struct graph_node *nodes;
  size_t node_count;
  struct graph_arc *arcs; /* sorted by caller, then callee */
  size_t arc_count;
  size_t *in_arcs; /* arc indices, sorted by callee, then caller */
  struct type_part *self_types; /* by node, then bytes, descending */
  size_t self_type_count, self_type_capacity;
};

/* Builds GRAPH from TREE, one by functions: node i is its item i.  Linear in
 * the nodes of the tree, but for sorting arcs. */
void call_graph_init(struct call_graph *graph, const struct call_tree *tree);

/* Calls of NODE by itself: direct recursion; and those by others. */
uint64_t call_graph_self_calls(const struct call_graph *graph, uint32_t node);
uint64_t call_graph_other_calls(const struct call_graph *graph,
                                uint32_t node);

/* ---- cycles ---- */

/* Cycles are the strongly connected components of more than one function.  A
 * function that only calls itself is no cycle.
 *
 * A chain that enters a component stays there until it leaves for good (a
 * way back would make what is outside a part of it).  So a chain crosses a
 * component at most once, and the bytes of a cycle taken as one function are
 * exact: the sum over the arcs that enter it and the chains that start in
 * it.  Likewise for what leaves it.
 */
struct cycle {
  size_t first_member, member_count; /* in members */
  struct figures self;               /* sum over the members */
  struct figures inclusive;          /* of chains through any member */
  struct figures root;               /* of chains that start in it */
  uint64_t outside_calls;            /* into it, with or without caller */
  uint64_t root_calls;               /* those without a caller */
  uint64_t inside_calls;             /* among members, and by themselves */
  size_t depth;                      /* the least of its members', ... */
  const char *name;                  /* ... and so is this */
};

struct cycles {
  struct cycle *items; /* cycle number k is items[k - 1]; by inclusive bytes
                          descending, then by name */
  size_t count;
  uint32_t *members; /* nodes; in a cycle by self bytes descending, then by
                        name */
};

/* Finds the cycles of GRAPH and sets the cycle number of each of its nodes.
 * Linear, by an explicit stack. */
void cycles_init(struct cycles *cycles, struct call_graph *graph);

#endif
