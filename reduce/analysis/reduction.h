/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* All stages of one command: the profile, its frames, the selection, groups
 * that --by asks for, the tree of chains that show, the tally, the regions,
 * the graph with its cycles.  Built once, then only read.
 */

#ifndef MPROF_REDUCTION_H
#define MPROF_REDUCTION_H

#include "analysis/call_graph.h"
#include "analysis/call_tree.h"
#include "analysis/tally.h"
#include "analysis/view_options.h"
#include "base/mprof_error.h"
#include "pprof/profile.h"

struct rule_list;

struct reduction {
  const struct view_options *options;
  const struct profile *profile;
  const struct reduction *base;  /* what it is compared with, where the output
                                    can do that; NULL: nothing */
  const struct rule_list *rules; /* of advice; NULL: there is no advice */
  struct frame_table frames;
  struct selection selection;
  struct call_tree tree; /* by functions; its items are nodes of the graph */
  struct tally tally;
  struct region_figures regions;
  struct call_graph graph;
  struct cycles cycles;
  bool *suppressed; /* by node of the profile: what was kept there is no leak;
                       NULL: none is */
};

/* What allocations and bytes are: MEASURE_BYTES, or another measure that has
 * been put in their place. */
static inline enum measure
reduction_counted(const struct reduction *reduction)
{
  return reduction->selection.options.counted;
}

/* Whether another measure has been put in the place of what was allocated:
 * the figures say nothing then of what else there is. */
static inline bool
reduction_is_substituted(const struct reduction *reduction)
{
  return measure_rows[reduction_counted(reduction)].what != NULL;
}

/* Whether chains are of what holds objects, and not of calls. */
static inline bool
reduction_is_of_holders(const struct reduction *reduction)
{
  return measure_is_held(reduction_counted(reduction));
}

/* Whether the figures of REDUCTION have a column for MEASURE; and whether
 * they say it (see measure_known).  What is held has chains of its own. */
static inline bool
reduction_has(const struct reduction *reduction, enum measure measure)
{
  return profile_has(reduction->profile, (int)measure) &&
         !reduction_is_substituted(reduction) && !measure_is_held(measure);
}

static inline bool
reduction_knows(const struct reduction *reduction, enum measure measure)
{
  return measure <= MEASURE_ALLOCS ||
         (!reduction_is_substituted(reduction) && !measure_is_held(measure) &&
          measure_known(reduction->profile, measure));
}

/* Which of the figures of REDUCTION the options ask for: where another
 * measure has been put in the place of what was allocated, its bytes or
 * objects. */
static inline enum measure
reduction_measure(const struct reduction *reduction)
{
  enum measure value = reduction->options->value;
  if (!reduction_is_substituted(reduction))
    return value;
  return measure_rows[value].bytes ? MEASURE_BYTES : MEASURE_ALLOCS;
}

/* Returns which figures the shares and the call graph of a report are made
 * of: bytes, or allocations where the options count objects. */
static inline enum measure
reduction_weight(const struct reduction *reduction)
{
  return measure_rows[reduction_counted(reduction)].bytes ? MEASURE_BYTES
                                                          : MEASURE_ALLOCS;
}

/* The source file of NODE, "" when not known; and the line where it begins,
 * zero when not known. */
const char *node_file(const struct reduction *reduction,
                      const struct graph_node *node);
int64_t node_line(const struct reduction *reduction,
                  const struct graph_node *node);

/* Builds every stage from PROFILE; that and OPTIONS must outlive REDUCTION.
 */
void reduction_init(struct reduction *reduction,
                    const struct profile *profile,
                    const struct view_options *options);

#endif
