/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The functions of a chain that do not show: of the runtime, hidden, or
 * further out than the first frame of --show-from.  What --focus and --ignore
 * match is a chain with them, so that who wants to choose among chains of
 * which only the shown part is left has to know them, too.
 *
 * They are sets, as a tree: a set is its parent and one function more.  It is
 * made in the order of the chain, so that sets with the same functions can
 * differ.
 */

#ifndef MPROF_UNSEEN_H
#define MPROF_UNSEEN_H

#include "analysis/selection.h"
#include "base/tree.h"

struct unseen {
  struct tree sets;   /* its items are functions of the frame table */
  uint32_t *of_node;  /* by node of the profile; TREE_ROOT: all shows */
  uint32_t *of_calls; /* likewise; where functions are inlined, a call counts
                         for what they are in, too, of which they are no part
                         of the chain: with all that the node is */
};

/* Finds what SELECTION does not show.  Linear in the nodes of the profile,
 * but for the number of functions in a set. */
void unseen_init(struct unseen *unseen, const struct selection *selection);

#endif
