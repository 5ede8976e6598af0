/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * malloc_figures.h -- the figures of one moment, to be written while threads
 * go on counting.
 *
 * What changes with each count is copied, while all is locked.  The rest is
 * records that stay as they are, though more may come behind them, as long as
 * malloc_monitor.steady is locked: nobody forgets them or retires their sites.
 */
#ifndef MPROF_MALLOC_FIGURES_H
#define MPROF_MALLOC_FIGURES_H

#include <stdint.h>

#include "malloc/count/malloc_monitor.h"
#include "tree/arena.h"

struct malloc_figures {
  struct context_tree tree;    /* the monitor's, as many records as it had */
  struct region_table regions;
  struct malloc_total total;
  uint64_t lost_objects;
  uint64_t stopped_ns; /* how long the threads waited */
  const struct leaf_figures *leaves; /* NULL: as they are now */
  struct arena leaf_arena, region_arena;
};

/* Those of now.  All is locked, and stays locked as long as they are used. */
struct malloc_figures malloc_figures_now(void);

/* The same, and nothing is locked but malloc_monitor.steady, until release.
 * False: there is no memory, and nothing to release. */
bool malloc_figures_take(struct malloc_figures *figures);
void malloc_figures_release(struct malloc_figures *figures);

static inline struct leaf_figures
malloc_figures_leaf(const struct malloc_figures *figures, uint32_t number)
{
  const struct leaf *const leaf = &figures->tree.leaves[number];
  if (figures->leaves != NULL)
    return figures->leaves[number];
  return (struct leaf_figures){{leaf->count, leaf->bytes},
                               stripes_life(number)};
}

/* How many objects, alone. */
static inline uint64_t
malloc_figures_count(const struct malloc_figures *figures, uint32_t number)
{
  return figures->leaves != NULL ? figures->leaves[number].allocated.count
                                 : figures->tree.leaves[number].count;
}

#endif
