/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * malloc_snapshot.h -- the figures of one moment, to be written while threads
 * go on counting.
 *
 * What changes with each count is copied, while all is locked.  The rest is
 * records that stay as they are, though more may come behind them, as long as
 * malloc_monitor.steady is locked: nobody forgets them or retires their
 * sites.
 */
#ifndef MPROF_MALLOC_SNAPSHOT_H
#define MPROF_MALLOC_SNAPSHOT_H

#include <stdint.h>

#include "malloc/count/malloc_monitor.h"
#include "tree/arena.h"

struct malloc_snapshot {
  struct context_tree tree; /* the monitor's, as many records as it had */
  struct region_table regions;
  struct malloc_total total;
  uint64_t lost_objects;
  uint64_t stopped_ns;               /* how long the threads waited */
  const struct leaf_figures *leaves; /* NULL: as they are now */
  struct arena leaf_arena, region_arena;
};

/* Those of now.  All is locked, and stays locked as long as they are used. */
struct malloc_snapshot malloc_snapshot_now(void);

/* The same, and nothing is locked but malloc_monitor.steady, until release.
 * False: there is no memory, and nothing to release. */
bool malloc_snapshot_take(struct malloc_snapshot *snapshot);
void malloc_snapshot_release(struct malloc_snapshot *snapshot);

static inline struct leaf_figures
malloc_snapshot_leaf(const struct malloc_snapshot *snapshot, uint32_t number)
{
  const struct leaf *const leaf = &snapshot->tree.leaves[number];
  if (snapshot->leaves != NULL)
    return snapshot->leaves[number];
  return (struct leaf_figures){{leaf->count, leaf->bytes},
                               stripes_life(number)};
}

#endif
