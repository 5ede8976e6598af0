/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* A profile as the options show it: the names at each node, the samples that
 * count, the tree of the chains that show, which calls count, and the figures
 * of functions, pairs, cycles, types, sizes, phases, threads and regions.
 *
 * view_make computes all of it once; nothing changes it afterwards.  Tables,
 * exports, advice, comparisons and the page read it, and do not select, group
 * or count again.
 */

#pragma once

#include "analysis/call_graph.h"
#include "analysis/call_tree.h"
#include "analysis/tally.h"
#include "analysis/view_options.h"
#include "base/pool.h"
#include "profile/profile.h"

struct view {
  const struct view_options *options;
  const struct profile *profile; /* the one given; if times are chosen, a copy
                                    that has only allocations, or only what
                                    was in use then */
  struct frame_table frames;
  struct selection selection;
  struct call_tree tree; /* by functions; its items are nodes of the graph */

  /* All zero with options->tree_alone. */
  struct tally tally;
  struct region_figures regions;
  struct call_graph graph;

  bool *suppressed; /* by node of the profile: what was kept there is no leak;
                       NULL: nothing is suppressed */
};

/* Returns what allocations and bytes are: MEASURE_BYTES, or another measure
 * that has been put in their place. */
static inline enum measure
view_counted(const struct view *view)
{
  return view->selection.options.counted;
}

/* Returns whether another measure has been put in the place of what was
 * allocated: the figures say nothing then of what else there is. */
static inline bool
view_is_substituted(const struct view *view)
{
  return measure_rows[view_counted(view)].what != NULL;
}

/* Returns whether chains are of what holds objects, and not of calls. */
static inline bool
view_is_of_holders(const struct view *view)
{
  return measure_is_held(view_counted(view));
}

/* Returns whether the figures of VIEW have a column for MEASURE; the second,
 * whether its values are known (see measure_known).  What is held has chains
 * of its own. */
static inline bool
view_has(const struct view *view, enum measure measure)
{
  return profile_has(view->profile, (int)measure) &&
         !view_is_substituted(view) && !measure_is_held(measure);
}

static inline bool
view_knows(const struct view *view, enum measure measure)
{
  return measure <= MEASURE_ALLOCS ||
         (!view_is_substituted(view) && !measure_is_held(measure) &&
          measure_known(view->profile, measure));
}

/* Returns which of the figures of VIEW the options ask for: where another
 * measure has been put in the place of what was allocated, its bytes or
 * objects. */
static inline enum measure
view_measure(const struct view *view)
{
  enum measure value = view->options->value;
  if (!view_is_substituted(view))
    return value;
  return measure_rows[value].bytes ? MEASURE_BYTES : MEASURE_ALLOCS;
}

/* Returns which figures the shares and the call graph of a report are made
 * of: bytes, or allocations where the options count objects. */
static inline enum measure
view_weight(const struct view *view)
{
  return measure_rows[view_counted(view)].bytes ? MEASURE_BYTES
                                                : MEASURE_ALLOCS;
}

/* Returns the source file of NODE, "" when not known; and the line where it
 * begins, zero when not known. */
const char *node_file(const struct view *view, const struct graph_node *node);
int64_t node_line(const struct view *view, const struct graph_node *node);

/* Returns the node called NAME, which is no cycle; NULL if there is none. */
const struct graph_node *view_node(const struct view *view, const char *name);

/* Makes the view of PROFILE with OPTIONS; both must outlive it.  Its memory
 * is of the pool in use.  Fails if the profile does not record what they ask
 * for, or an option is wrong; does not fail if nothing is selected. */
const struct view *view_make(const struct profile *profile,
                             const struct view_options *options);
