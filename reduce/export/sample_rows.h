/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* What was allocated and called at the nodes of a tree of chains, as samples
 * of a profile have it: samples of the reduction that are alike in chain,
 * type, size, thread, region and phase are one row.
 */

#ifndef MPROF_SAMPLE_ROWS_H
#define MPROF_SAMPLE_ROWS_H

#include "common/pprof_format.h"
#include "tables/chain_tree.h"

struct sample_row {
  uint32_t node;
  uint32_t type, thread, region; /* indices into those of the profile */
  enum phase phase;
  bool is_calls; /* of calls, not of allocations */
  enum size_kind size_kind;
  uint64_t object_bytes;
  uint64_t values[PPROF_COLUMNS];
};

struct sample_rows {
  struct sample_row *rows; /* by node, allocations first, then by type, size,
                              thread, region and phase */
  size_t count, capacity;
};

/* Fills ROWS from the samples that TREE has.  False when memory runs out;
 * release ROWS even then. */
bool sample_rows_init(struct sample_rows *rows,
                      const struct chain_tree *tree);

void sample_rows_release(struct sample_rows *rows);

#endif
