/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * thread_paths.h -- the paths of one thread, when they become more than the
 * budget: its tree, and all that refers to its leaves.
 *
 * Who retires them.  A tree has one owner, its thread, so that alone can
 * change all numbers in it without a lock, and without stopping any other.
 * It does so in the hook, where indices are doubled too, which takes as long
 * for each record.  But not in the middle of a walk, which has numbers in
 * hand: the tree says there that it is nearly full (context_tree.full), and
 * then the thread sets its own gate, so that its next allocation comes here
 * first.  Others that set the gate meanwhile come first; who opens it again
 * looks at the tree.
 */
#ifndef MPROF_THREAD_PATHS_H
#define MPROF_THREAD_PATHS_H

#include <stdbool.h>

#include "hook/thread_state.h"

/* The tree is that of a thread_state, and empty: have the thread retire
 * contexts when it fills up. */
void thread_paths_begin(struct context_tree *tree);

/* The gate of the calling thread says GATE_RETIRE: retire contexts, and open
 * it.  Inside the hook, before a walk. */
void thread_paths_obey(struct thread_state *thread);

/* The paths of `from', an ended thread, are also those of `into', another.
 * False when memory ran out.  Not inside the hook. */
bool thread_paths_merge(struct thread_state *into, struct thread_state *from);

#endif
