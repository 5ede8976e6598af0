/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "snapshot/figures.h"

#include "live/live_collection.h"
#include "live/live_entries.h"
#include "live/live_frees.h"

/* How many bytes the copies of all trees take; some even if there is none, for
 * the kernel gives no memory of no bytes. */
static size_t
bytes_needed(size_t *threads, size_t *live)
{
  size_t bytes = sizeof(struct thread_figures);
  *threads = 0;
  *live = sizeof(struct live_survival);
  for (const struct thread_state *t = monitor.threads; t != NULL;
       t = t->next) {
    bytes += t->tree.leaf_count * sizeof(struct leaf_counts) +
             t->tree.context_count * sizeof(uint64_t);
    *live += t->tree.leaf_count * sizeof(struct live_survival);
    ++*threads;
  }
  return bytes + *threads * sizeof(struct thread_figures);
}

bool
lisp_figures_reserve(struct lisp_figures *f)
{
  size_t threads, live;
  const size_t bytes = bytes_needed(&threads, &live);
  /* An eighth more, for what is new until the threads are stopped. */
  return arena_reserve_pages(&f->memory, bytes + bytes / 8) == 0;
}

/* Memory for all trees as they are now. */
static bool
reach(struct lisp_figures *f)
{
  size_t live;
  const size_t bytes = bytes_needed(&f->thread_count, &live);
  if (bytes > f->memory.reserved_bytes) {
    arena_release(&f->memory);
    if (arena_reserve(&f->memory, bytes) != 0)
      return false;
  }
  return !monitor.follow || arena_reserve(&f->live, live) == 0;
}

/* Copy what `t' has to `to', and give back where the next one's begins. */
static void *
copy_thread(struct thread_figures *to, const struct thread_state *t, void *at)
{
  const struct context_tree *tree = &t->tree;
  struct leaf_counts *const leaves = at;
  uint64_t *const activations = (uint64_t *)(leaves + tree->leaf_count);
  for (uint32_t i = 0; i < tree->leaf_count; i++)
    leaves[i] = (struct leaf_counts){tree->leaves[i].count,
                                     tree->leaves[i].bytes,
                                     tree->leaves[i].activations};
  for (uint32_t i = 0; i < tree->context_count; i++)
    activations[i] = tree->contexts[i].activations;
  *to = (struct thread_figures){t,      *tree,       tree->context_count,
                                tree->leaf_count, leaves, activations,
                                NULL};
  return activations + tree->context_count;
}

/* What lives and died of each leaf, as of the last collection. */
static void
sum_live(struct lisp_figures *f)
{
  struct live_survival *at = f->live.base;
  struct thread_figures *to = f->threads;
  f->collection = live_collection_number();
  f->lost = live_frees_lost();
  for (struct thread_state *t = monitor.threads; t != NULL;
       t = t->next, to++) {
    f->lost += t->live.lost + t->live.misplaced;
    if (live_table_is_open(&t->live)) {
      live_entries_sum(&t->live, at);
      to->live = at;
    }
    at += to->leaf_count;
  }
}

bool
lisp_figures_take(struct lisp_figures *f)
{
  void *at;
  struct thread_figures *to;
  if (!reach(f))
    return false;
  f->threads = to = f->memory.base;
  at = f->threads + f->thread_count;
  for (const struct thread_state *t = monitor.threads; t != NULL; t = t->next)
    at = copy_thread(to++, t, at);
  f->counters = threads_counters();
  if (monitor.follow)
    sum_live(f);
  return true;
}

void
lisp_figures_release(struct lisp_figures *f)
{
  arena_release(&f->memory);
  arena_release(&f->live);
}
