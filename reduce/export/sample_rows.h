/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* What was allocated or called at the nodes of a tree of chains: samples that
 * are alike in all that is asked for are one row.
 */

#ifndef MPROF_SAMPLE_ROWS_H
#define MPROF_SAMPLE_ROWS_H

#include "tables/chain_tree.h"

enum rows_of {
  ROWS_OF_TYPES, /* allocations, whatever the sizes of the objects */
  ROWS_OF_SIZES, /* allocations, by size, too */
  ROWS_OF_CALLS
};

/* What tells the rows of a node apart, in the order of sorting. */
enum row_key {
  ROW_TYPE, /* index into the profile's types; of calls 0, as sizes are */
  ROW_SIZE_KIND,
  ROW_OBJECT_BYTES,
  ROW_THREAD, /* index into the profile's threads */
  ROW_REGION, /* likewise */
  ROW_PHASE,
  ROW_KEYS
};

struct sample_row {
  uint32_t node;
  uint64_t keys[ROW_KEYS];
  uint64_t counts[COLUMN_USES]; /* by enum measure; calls */
};

struct sample_rows {
  struct sample_row *rows; /* by node, then by keys */
  size_t count, capacity;
};

/* Fills ROWS from the samples that TREE has.  False when memory runs out;
 * release ROWS even then. */
bool sample_rows_init(struct sample_rows *rows, const struct chain_tree *tree,
                      enum rows_of of);
void sample_rows_release(struct sample_rows *rows);

#endif
