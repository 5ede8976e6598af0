/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * malloc_retire.c -- see malloc_retire.h.
 */
#include "malloc/count/malloc_retire.h"

#include "malloc/count/other_heap.h"
#include "malloc/environment.h"
#include "tree/context_retire.h"
#include "write/quiet.h"

static void
ask(struct context_tree *tree)
{
  (void)tree;
  __atomic_store_n(&malloc_monitor.is_full, true, __ATOMIC_RELAXED);
}

void
malloc_retire_wipe_on_fork(struct context_tree *tree)
{
  arena_wipe_on_fork(&tree->context_arena);
  arena_wipe_on_fork(&tree->leaf_arena);
  arena_wipe_on_fork(&tree->kind_arena);
}

void
malloc_retire_open(struct context_tree *tree)
{
  if (environment_value("MPROF_MAPPED") == NULL)
    tree->full = ask;
  malloc_retire_wipe_on_fork(tree);
}

/* False: there is no memory. */
static bool
begin(struct malloc_monitor *m)
{
  return leaf_lives_begin(&m->lives, &m->tree) &&
         (other_heap == NULL || other_heap->begin_renumber());
}

/* The leaves get their counts, by which it is decided what stays.  What cannot
 * be done now is not tried over and over. */
static void
retire(struct malloc_monitor *m)
{
  const uint32_t count = m->tree.leaf_count;
  struct arena leaf_of;
  malloc_monitor_settle(m, NULL);
  m->tree.stuck |= !begin(m);
  if (!context_tree_retire(&m->tree, &leaf_of))
    return;
  leaf_lives_renumber(&m->lives, leaf_of.base);
  if (other_heap != NULL)
    other_heap->renumber(leaf_of.base, count);
  arena_release(&leaf_of);
  malloc_retire_wipe_on_fork(&m->tree);
  stripes_unload();
}

/* A handler of a signal would find a tree in pieces.  But a thread that waits
 * for a lock must be one that a collector can stop, as who has it may be. */
void
malloc_retire(struct malloc_monitor *m)
{
  struct quiet quiet;
  spin_lock(&m->lock);
  stripes_lock();
  quiet_begin(&quiet, true);
  if (m->is_full &&
      __atomic_load_n(&m->interruptions, __ATOMIC_RELAXED) == 0) {
    __atomic_store_n(&m->is_full, false, __ATOMIC_RELAXED);
    retire(m);
  }
  quiet_end(&quiet);
  stripes_unlock();
  spin_unlock(&m->lock);
}
