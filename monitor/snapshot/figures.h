/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * figures.h -- all figures of the monitor as of one moment.
 *
 * Threads stand still while their counters are copied, and count on while an
 * image is made of the copy: a tree only grows, its records stay where they
 * are, and who merges, renames or clears one needs the monitor's lock.  So what is copied
 * is how many records each tree had, and what they had counted: 24 bytes a
 * leaf and 8 a context (100,000 of them: 0.2 ms).
 *
 * Not inside the hook.  Under the monitor's lock, from first to last.
 */
#ifndef MPROF_FIGURES_H
#define MPROF_FIGURES_H

#include "live/live_deaths.h"
#include "threads/threads.h"

/* Of one leaf. */
struct leaf_counts {
  uint64_t count, bytes, activations;
};

struct thread_figures {
  const struct thread_state *thread;
  struct context_tree tree;         /* its records */
  uint32_t context_count, leaf_count;
  const struct leaf_counts *leaves;
  const uint64_t *activations;      /* of contexts */
  struct live_survival *live; /* of leaves, but for what died before its
                                 first collection; NULL: not followed */
};

struct lisp_figures { /* all zero at first */
  struct counters counters;
  struct thread_figures *threads;
  size_t thread_count;
  bool heap;           /* for what MPROF_HEAP says (monitor.h) */
  bool balanced;       /* with what the collector has given out */
  uint64_t collection; /* what is alive is as of this one */
  uint64_t lost;       /* objects that are not followed any more */
  struct arena memory;      /* has the arrays */
  struct arena live;
};

/* Have memory for what is there now, before the threads are stopped: then no
 * page of it is missing.  False: there is none. */
bool lisp_figures_reserve(struct lisp_figures *);

/* Copy the figures; the gates are shut, or nothing is counted, and there are
 * no collections and frees (live_frees_begin).  False: there is no memory. */
bool lisp_figures_take(struct lisp_figures *);

void lisp_figures_release(struct lisp_figures *);

/* The leaf `i' of a thread, as of that moment. */
static inline struct leaf
lisp_figures_leaf(const struct thread_figures *t, uint32_t i)
{
  struct leaf leaf = t->tree.leaves[i];
  leaf.count = t->leaves[i].count;
  leaf.bytes = t->leaves[i].bytes;
  leaf.activations = t->leaves[i].activations;
  return leaf;
}

#endif
