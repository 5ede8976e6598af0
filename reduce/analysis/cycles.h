/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Cycles of the call graph: its strongly connected components of more than
 * one function.  A function that only calls itself is no cycle.
 *
 * A chain that enters a component stays there until it leaves for good (a
 * way back would make what is outside a part of it).  So a chain crosses a
 * component at most once, and the bytes of a cycle taken as one function are
 * exact: the sum over the arcs that enter it and the chains that start in
 * it.  Likewise for what leaves it.
 */

#ifndef MPROF_CYCLES_H
#define MPROF_CYCLES_H

#include "analysis/call_graph.h"
#include "base/mprof_error.h"

struct cycle {
  size_t first_member, member_count; /* in members */
  struct figures self;               /* sum over the members */
  struct figures inclusive;          /* of chains through any member */
  struct figures root;               /* of chains that start in it */
  uint64_t outside_calls;            /* into it, with or without caller */
  uint64_t root_calls;               /* those without a caller */
  uint64_t inside_calls;             /* among members, and by themselves */
  size_t depth;                      /* the least of its members' */
};

struct cycles {
  struct cycle *items; /* cycle number k is items[k - 1]; by inclusive bytes
                          descending, then by the least member name */
  size_t count;
  uint32_t *members; /* nodes; in a cycle by self bytes descending, then by
                        name */
};

/* Finds the cycles of GRAPH and sets the cycle number of each of its nodes.
 * Linear, by an explicit stack.  False when memory runs out; release CYCLES
 * even then. */
bool cycles_init(struct cycles *cycles, struct call_graph *graph,
                 struct mprof_error *error);

void cycles_release(struct cycles *cycles);

#endif
