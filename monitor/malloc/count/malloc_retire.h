/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * malloc_retire.h -- the contexts of a C program, when they become more than
 * the budget: those of which the least was counted lately are retired into
 * their callers (tree/context_retire.h).
 *
 * Who does it.  All threads share one tree, so it stands still meanwhile: all
 * is locked, and no thread knows a path afterwards, as when code is unloaded
 * (stripes_unload).  The thread that finds the tree nearly full is in the
 * midst of a walk; the next one that does not know its path comes here before
 * it begins one.  Objects know lives, which keep their numbers
 * (leaf_lives.h).
 *
 * A handler of a signal may have interrupted a count that goes on when it
 * comes back, with a life in hand: then it waits.  So it does with a reader:
 * that has the former tree as long as it needs it (malloc_snapshot.h).
 */
#ifndef MPROF_MALLOC_RETIRE_H
#define MPROF_MALLOC_RETIRE_H

#include "malloc/count/malloc_monitor.h"

/* The tree is new: have contexts retired when it fills up, unless its records
 * are to be in a file as they are. */
void malloc_retire_open(struct context_tree *tree);

/* The child of a fork needs nothing of the tree. */
void malloc_retire_wipe_on_fork(struct context_tree *tree);

void malloc_retire(struct malloc_monitor *m);

/* This thread has no lock, and no path or life in hand. */
static inline void
malloc_retire_if_full(struct malloc_monitor *m)
{
  if (__atomic_load_n(&m->is_full, __ATOMIC_RELAXED))
    malloc_retire(m);
}

#endif
