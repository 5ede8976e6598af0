/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* All stages of one command: the profile as read, the selection, the groups
 * that --by asks for, the tally, the regions, the graph with its cycles.
 * Built once, then only read.
 */

#ifndef MPROF_REDUCTION_H
#define MPROF_REDUCTION_H

#include "command/options.h"
#include "graph/call_graph.h"
#include "graph/cycles.h"
#include "graph/nameless_share.h"
#include "graph/region_figures.h"
#include "graph/selection.h"
#include "graph/tally.h"
#include "io/mprof_error.h"
#include "profile/profile.h"

struct reduction {
  const struct options *options; /* not owned */
  /* what allocs and bytes are: see measure_substitute */
  enum measure counted;
  struct profile profile;
  struct selection selection;
  struct tally tally;
  struct region_figures regions;
  struct call_graph graph;
  struct cycles cycles;
  struct nameless_share nameless;
};

/* Which of the figures of REDUCTION the options ask for: where another
 * measure has been put in the place of what was allocated, its bytes or
 * objects. */
static inline enum measure
reduction_measure(const struct reduction *reduction)
{
  enum measure value = reduction->options->value;
  if (!reduction->options->one_measure)
    return value;
  return measure_rows[value].bytes ? MEASURE_BYTES : MEASURE_ALLOCS;
}

/* Reads the files that OPTIONS name and builds every stage.  OPTIONS must
 * outlive REDUCTION.  False: ERROR says why; release it even then. */
bool reduction_init(struct reduction *reduction,
                    const struct options *options, struct mprof_error *error);
void reduction_release(struct reduction *reduction);

#endif
