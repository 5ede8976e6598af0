/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* What was allocated or called at the nodes of a tree of chains, as rows of a
 * few keys.
 */

#pragma once

#include "analysis/call_tree.h"
#include "base/array.h"
#include "base/sink.h"

enum rows_of {
  ROWS_OF_PARTS,    /* allocations, by type alone */
  ROWS_OF_SIZES,    /* allocations, by size, thread, phase and region, too */
  ROWS_OF_CONTEXTS, /* the same, whatever the region */
  ROWS_OF_CALLS
};

/* What tells the rows of a node apart, in the order of sorting. */
enum row_key {
  ROW_TYPE, /* index into the profile's types; of calls 0, as sizes are */
  ROW_SIZE_KIND,
  ROW_OBJECT_BYTES,
  ROW_THREAD, /* index into the profile's threads */
  ROW_REGION, /* index into the profile's regions */
  ROW_PHASE,
  ROW_SLICE, /* of time, by `slices'; 0 without them, as for calls */
  ROW_LINE,  /* node of the chain by line, by `line_of_sample'; likewise */
  ROW_KEYS
};

/* Samples of one node that are alike in all that is asked for. */
struct sample_row {
  uint32_t node;
  uint64_t keys[ROW_KEYS];
  uint64_t counts[COLUMN_OF_FREED_BYTES + 1]; /* by use of columns */
  uint32_t sample; /* of allocations: one of them */
};

struct sample_rows {
  const struct call_tree *tree; /* of chains */
  enum rows_of of;
  const uint32_t *slices; /* by labels of the profile; NULL: slices tell no
                             rows apart */
  const uint32_t *line_of_sample; /* by sample; NULL: lines tell none apart */
  uint32_t *of_sample; /* by sample: gets the number of its row; NULL: that is
                          not asked */
  struct lists samples; /* by node: samples, or indices into tree->calls */
  struct sample_row *rows;
  size_t count, capacity;
};

/* Makes ROWS empty, for TREE and the kind OF; then each call of the second
 * appends the rows of NODE, sorted by keys.  To start again, set the count to
 * zero. */
void sample_rows_init(struct sample_rows *rows, const struct call_tree *tree,
                      enum rows_of of);
void sample_rows_add(struct sample_rows *rows, uint32_t node);

/* Returns whether all CHAINS that allocated or were called, each written in
 * full, with NAMES or numbers for them, are no more than a file may hold, or
 * than is in proportion to the profile; else SINK fails with EFBIG.  The
 * chains that allocated always are; but all that begin another one may have
 * calls. */
bool chains_fit(const struct chains *chains, bool names, struct sink *sink);
