/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The chain of the sample in hand as a path in the tree.  Those of neighbours
 * have much in common: the last one is kept, so that a chain costs a search
 * for what it does not share with it.
 *
 * A location may be many frames, and a name long, however often a small file
 * refers to them.  So frames and names are counted here, where they are still
 * one number for each location; no later stage multiplies anything else.
 */

#ifndef MPROF_CHAIN_PATH_H
#define MPROF_CHAIN_PATH_H

#include "base/array.h"
#include "pprof/reading.h"

/* A node of the chain. */
struct path_step {
  uint32_t node;
  uint64_t text; /* of the frames up to here: what writing them takes */
};

struct chain_path {        /* all zero but for texts: empty */
  struct path_step *steps; /* the root's child first */
  size_t length, capacity;
  struct numbers ids; /* of the locations, the leaf first */
  uint64_t *texts;    /* by location; 0: it was not met yet */
  uint64_t frames;    /* of all nodes that are new */
};

/* The end of the chain of IDS, of the sample with the number INDEX, which may
 * be the root.  IDS become the array of the sample before. */
struct path_step chain_path_find(struct chain_path *path,
                                 const struct reading *reading, size_t index,
                                 struct numbers *ids);

#endif
