/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * context_retire.h -- room in a full tree for what a program does now.
 *
 * Model.  A process that lives for weeks has more contexts in the end than
 * any budget: code is loaded anew, and what it did at first it does no more.
 * So the contexts of which the least was heard lately are *retired* into
 * their callers.  What was counted below such a context is from then on at
 * leaves of the nearest caller that stays, which have the same kinds and the
 * site SITE_RETIRED_PATHS:
 *
 *     MAIN, FOO, BAR, BAZ   16 bytes        MAIN, FOO, [retired]   48 bytes
 *     MAIN, FOO, BAR, QUX   32 bytes  -->
 *     MAIN, FOO           4000 bytes        MAIN, FOO            4000 bytes
 *
 * The totals are what they were, those by type, size and class too, and so
 * are the inclusive figures of all callers that stay.  The calls of the
 * functions that were retired are those of [retired].
 *
 * Which.  A leaf has a score: its bytes since the last time, and half of the
 * score that it had then.  A context has the sum of all below it, so that it
 * outranks each of these.  The highest stay, so many that half of the budget
 * is free afterwards; where scores are equal the older record stays.
 *
 * Contexts of no function (SITE_SPECIAL) stay, and so does what is below the
 * overflow.
 *
 * Cost: some passes over all records, which is paid for by the half of the
 * budget that has to be used up before the next time.  Takes memory from the
 * kernel alone, 8 bytes for each record that stays, and more for the time
 * being: may run inside the hook, between two walks.
 */
#ifndef MPROF_CONTEXT_RETIRE_H
#define MPROF_CONTEXT_RETIRE_H

#include <stdbool.h>

#include "tree/context_tree.h"

/* Retire contexts and leaves until half of the budget is free.  All numbers
 * and addresses of records change: `leaf_of', which the caller releases, gets
 * the numbers (uint32_t) that the leaves have now by their former ones.
 * False, with nothing changed: there is no memory, or there are too many
 * kinds; it is not tried again before the tree is cleared. */
bool context_tree_retire(struct context_tree *tree, struct arena *leaf_of);

/* From now on a thread reads trees whose owners count on, and may retire
 * contexts: the records that it has the addresses of stay until it lets go.
 * One thread at a time; to hold them, all owners are outside the hook. */
void context_trees_hold(void);
void context_trees_let_go(void);

#endif
