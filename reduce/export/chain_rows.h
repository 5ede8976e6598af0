/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* What was allocated and called at the nodes of a tree of chains, by type,
 * phase, thread and region: as fine as any view of the page needs it.  What
 * no view tells apart is one row.
 */

#ifndef MPROF_CHAIN_ROWS_H
#define MPROF_CHAIN_ROWS_H

#include "tables/chain_tree.h"

/* What was allocated at the end of a chain. */
struct chain_row {
  uint32_t node;
  uint32_t type;  /* index into the profile's types */
  uint32_t group; /* index into the groups */
  uint64_t counts[MEASURE_COUNT];
};

/* How often the last function of a chain was called. */
struct chain_calls {
  uint32_t node;
  uint32_t group;
  uint64_t calls;
};

/* A thread in a phase and a region. */
struct chain_group {
  enum phase phase;
  uint32_t thread; /* index into the profile's threads */
  uint32_t region; /* index into the profile's regions */
};

struct chain_rows {
  struct chain_row *rows; /* by node, type and group */
  size_t row_count, row_capacity;
  struct chain_calls *calls; /* by node and group */
  size_t call_count, call_capacity;
  struct chain_group *groups; /* those that something was counted in */
  size_t group_count, group_capacity;
};

/* Fills ROWS from the samples that TREE has.  False when memory runs out;
 * release ROWS even then. */
bool chain_rows_init(struct chain_rows *rows, const struct chain_tree *tree);

void chain_rows_release(struct chain_rows *rows);

#endif
