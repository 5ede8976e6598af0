/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * thread_paths.c -- see thread_paths.h.
 */
#include "hook/thread_paths.h"

#include <errno.h>
#include <stddef.h>
#include <stdlib.h>

#include "live/live_collection.h"
#include "live/live_entries.h"
#include "tree/context_retire.h"

/* ---- retiring ---- */

static void
ask(struct context_tree *tree)
{
  struct thread_state *const t =
      (struct thread_state *)((char *)tree -
                              offsetof(struct thread_state, tree));
  int open = GATE_OPEN;
  __atomic_compare_exchange_n(&t->gate, &open, GATE_RETIRE, false,
                              __ATOMIC_SEQ_CST, __ATOMIC_RELAXED);
}

void
thread_paths_begin(struct context_tree *tree)
{
  tree->full = ask;
}

static void
rename_leaf(struct counted_object *c, const struct leaf *before,
            struct leaf *now, const uint32_t *leaf_of)
{
  if (c->object != NULL)
    c->leaf = now + leaf_of[c->leaf - before];
}

static void
retire(struct thread_state *t)
{
  const struct leaf *const before = t->tree.leaves;
  struct arena leaf_of;
  if (!context_tree_retire(&t->tree, &leaf_of))
    return;
  rename_leaf(&t->last, before, t->tree.leaves, leaf_of.base);
  for (unsigned i = 0; i < WAITING_HEADERS; i++)
    rename_leaf(&t->waiting[i], before, t->tree.leaves, leaf_of.base);
  if (live_table_is_open(&t->live))
    live_entries_rename(&t->live, leaf_of.base);
  arena_release(&leaf_of);
}

void
thread_paths_obey(struct thread_state *t)
{
  const int saved_errno = errno;
  int gate = GATE_RETIRE;
  retire(t);
  thread_state_begin_epoch(t);
  __atomic_compare_exchange_n(&t->gate, &gate, GATE_OPEN, false,
                              __ATOMIC_SEQ_CST, __ATOMIC_RELAXED);
  errno = saved_errno;
}

/* ---- merging ---- */

static void
no_room(void *requests, const struct leaf *leaf, const struct kind *kind)
{
  requests_add_leaf(requests, leaf, kind);
}

static bool
fit(const struct context_tree *one, const struct context_tree *other)
{
  return one->context_count + other->context_count <= one->budget &&
         one->leaf_count + other->leaf_count <= one->budget;
}

bool
thread_paths_merge(struct thread_state *into, struct thread_state *from)
{
  uint32_t *leaf_of = NULL;
  bool merged;
  if (!fit(&into->tree, &from->tree)) {
    retire(into);
    retire(from);
  }
  if (live_table_is_open(&from->live)) {
    leaf_of = calloc(from->tree.leaf_count, sizeof *leaf_of);
    if (leaf_of == NULL)
      return false;
  }
  merged = context_tree_merge(&into->tree, &from->tree, no_room,
                              &from->requests, leaf_of);
  if (merged && leaf_of != NULL) {
    live_collection_remove(&from->live);
    live_entries_merge(&into->live, &from->live, leaf_of);
  }
  free(leaf_of);
  return merged;
}
