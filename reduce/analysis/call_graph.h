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

#pragma once

#include "analysis/call_tree.h"

struct graph_node {
  const char *name;    /* of the frame table, or constant */
  uint32_t function;   /* number in the frame table of one with this name;
                          INDEX_NONE: a cycle, or what stands for a whole
                          chain */
  struct figures self; /* allocated by the function itself */
  struct figures inclusive; /* allocated in it and below it; once a chain */
  struct figures root;      /* of chains that start here: no caller */
  uint64_t calls;           /* activations that led to allocation, or
                               CALLS_UNKNOWN; of a cycle, from outside */
  uint64_t inner_calls;     /* of these, by itself: direct recursion; of a
                               cycle, calls of members by members */
  uint64_t root_calls;      /* calls without a caller, or CALLS_UNKNOWN */
  size_t depth;             /* fewest callers above it on any chain that
                               allocated; SIZE_MAX: it is on none */
  uint32_t cycle;           /* number of its cycle from 1, 0: in none */
  size_t first_arc, arc_count;       /* to callees, in arcs; cycles have 0 */
  size_t first_in_arc, in_arc_count; /* from callers, in in_arcs; likewise */
  size_t first_type, type_count;     /* in self_types; likewise */
  size_t first_member, member_count; /* of a cycle, in members */
  uint32_t uses; /* while building: times on the chain in hand */
};

struct graph_arc {
  uint32_t caller;
  uint32_t callee;          /* equal to caller: direct recursion */
  struct figures inclusive; /* of chains that have this pair; once a chain */
  uint64_t calls;           /* of callee by caller, or CALLS_UNKNOWN */
  uint32_t uses;            /* while building: times on the chain in hand */
};

struct call_graph {
  uint64_t context_count;   /* of distinct chains at whose end the selection
                               keeps allocations */
  uint64_t calls;           /* of all functions whose calls are known */
  struct graph_node *nodes; /* functions; then cycles, number k at node_count
                               + k - 1, by inclusive bytes, descending, then
                               by name */
  size_t node_count, cycle_count, capacity;
  uint32_t *members; /* of cycles; in one by self bytes, descending, then by
                        name */
  struct graph_arc *arcs; /* sorted by caller, then callee */
  size_t arc_count;
  size_t *in_arcs; /* arc indices, sorted by callee, then caller */
  struct type_part *self_types; /* by node, then bytes, descending */
  size_t self_type_count, self_type_capacity;
};

/* Builds GRAPH, without cycles, in the pool in use from TREE, whose items
 * must be functions: node i is item i.  Takes linear time in the nodes of the
 * tree, but for sorting arcs. */
void call_graph_init(struct call_graph *graph, const struct call_tree *tree);

/* ---- cycles ---- */

/* Cycles are the strongly connected components of more than one function.  A
 * function that only calls itself is no cycle.
 *
 * A chain that enters a component stays there until it leaves for good (a
 * way back would make what is outside a part of it).  So a chain crosses a
 * component at most once, and the bytes of a cycle taken as one function are
 * exact: the sum over the arcs that enter it and the chains that start in
 * it.  Likewise for what leaves it.  Its node
 * has sums over its members, the least of their depths, and the first of
 * their names.
 */

/* Finds the cycles of GRAPH, adds a node for each and sets the cycle number
 * of its members.  Linear, by an explicit stack. */
void call_graph_find_cycles(struct call_graph *graph);
