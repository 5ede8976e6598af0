/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The sums of what the image of a C program counts. */

#pragma once

#include "recover/image_reader.h"

struct c_counters {
  struct stripes stripes;    /* pointers are the process's */
  struct context_tree *tree; /* the image's: its leaves have their counts */
  struct leaf_counters *by_leaf; /* by leaf */
  struct leaf_loss *losses;      /* by leaf; NULL: they are not known */
  uint64_t contexts, bytes;      /* paths, and the memory of their records */
  struct {
    uint64_t count, bytes, peak_bytes;
  } total; /* over all leaves; the most bytes that were live */
};

/* Sets COUNTERS to the sums of the counters of IMAGE, and checks its trees.
 * Fails if they are damaged. */
void c_counters_find(struct c_counters *counters, struct image *image);
