/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Which node of a graph is on all paths to another.
 *
 * A node is dominated by those that are on every path from the root to it;
 * the nearest of them is its *immediate dominator*.  What a node dominates
 * would go if the node went.
 *
 * Source: Semi-NCA, L. Georgiadis, Linear-Time Algorithms for Dominators and
 * Related Problems (Princeton 2005), section 2.2; semidominators and path
 * compression as in T. Lengauer and R. E. Tarjan, A Fast Algorithm for
 * Finding Dominators in a Flowgraph (1979).
 */

#pragma once

#include <stdint.h>

/* Returns the immediate dominator of each of COUNT nodes, in memory of the
 * pool in use; that of the root is itself.  Nodes are numbered in the order
 * in which a depth-first search from the root, 0, finds them, by PARENTS.
 * The predecessors of node i are PREDECESSORS[FIRST[i]] up to before
 * FIRST[i + 1]; its parent is one, too, whether it is there or not. */
uint32_t *dominators_find(uint32_t count, const uint32_t *parents,
                          const uint32_t *first,
                          const uint32_t *predecessors);
