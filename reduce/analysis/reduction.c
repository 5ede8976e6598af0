/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Which stages there are and what each needs. */

#include "analysis/reduction.h"

#include "analysis/grouping.h"
#include "analysis/suppressions.h"
#include "base/progress.h"

/* PROFILE without all that has no time: what was kept, say, is known of all
 * slices together (recover/timed_samples.c). */
static const struct profile *
allocations_alone(const struct profile *profile)
{
  struct profile *alone = pool_alloc(sizeof *alone);
  *alone = *profile;
  alone->measure_count = 0;
  for (int use = 0; use < COLUMN_USES; use++)
    if (use == MEASURE_BYTES || use == MEASURE_ALLOCS) {
      alone->measures[alone->measure_count++] = (uint8_t)use;
    } else {
      alone->column_of[use].index = NO_COLUMN;
      alone->total[use] = 0;
    }
  return alone;
}

void
reduction_init(struct reduction *reduction, const struct profile *profile,
               const struct view_options *options)
{
  if (selection_is_of_time(&options->select))
    profile = allocations_alone(profile);
  const struct measure_row *row = measure_row(profile, options->value);
  struct selection *selection = &reduction->selection;
  struct selection_options select = options->select;
  *reduction = (struct reduction){.options = options, .profile = profile};
  if (!measure_known(profile, options->value))
    fail_with(MPROF_BAD_PROFILE,
              "--value=%s: the profile does not record what was %s%s%s",
              row->word, row->what, row->hint == NULL ? "" : ": ",
              row->hint == NULL ? "" : row->hint);
  select.counted = options->one_measure || measure_is_held(options->value)
                       ? options->value
                       : MEASURE_BYTES;
  progress_tell("selecting", 0, 0);
  reduction->suppressed = suppressions_find(profile, options);
  select.suppressed = options->leaks_only ? reduction->suppressed : NULL;
  frame_table_init(&reduction->frames, profile);
  selection_match(selection, profile, &reduction->frames, &select);
  frame_table_group(&reduction->frames, options->by, options->by_label,
                    selection->functions);
  selection_judge(selection, options->by);
  progress_tell("adding up", 0, 0);
  tally_init(&reduction->tally, selection);
  region_figures_init(&reduction->regions, profile, reduction->tally.regions);
  progress_tell("building the call graph", 0, 0);
  call_tree_init(&reduction->tree, selection, options->by != BY_FUNCTION);
  call_graph_init(&reduction->graph, &reduction->tree);
  cycles_init(&reduction->cycles, &reduction->graph);
}

const char *
node_file(const struct reduction *reduction, const struct graph_node *node)
{
  return node->function == INDEX_NONE
             ? ""
             : function_file(&reduction->frames, node->function);
}

int64_t
node_line(const struct reduction *reduction, const struct graph_node *node)
{
  int64_t line = node->function == INDEX_NONE
                     ? 0
                     : reduction->frames.functions[node->function].start_line;
  return line < 0 ? 0 : line;
}
