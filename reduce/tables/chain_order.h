/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The last step of making a tree of chains: its nodes have been made in the
 * order of the samples, each after its parent.
 */

#ifndef MPROF_CHAIN_ORDER_H
#define MPROF_CHAIN_ORDER_H

#include "tables/chain_tree.h"

/* Sums up what is below each node of TREE and brings the nodes into the order
 * of a walk, see chain_tree.h.  False when memory runs out. */
bool chain_tree_order(struct chain_tree *tree);

#endif
