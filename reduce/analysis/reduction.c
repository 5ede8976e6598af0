/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Which stages there are and what each needs. */

#include "analysis/reduction.h"

#include "analysis/grouping.h"
#include "analysis/suppressions.h"
#include "base/progress.h"

#include <stdlib.h>

/* Builds the stages one after the other; false when memory runs out, or ERROR
 * says why. */
static bool
build(struct reduction *reduction, struct progress *progress,
      struct mprof_error *error)
{
  const struct view_options *options = reduction->options;
  const struct profile *profile = reduction->profile;
  struct selection *selection = &reduction->selection;
  struct selection_options select = options->select;
  select.counted = options->one_measure || measure_is_held(options->value)
                       ? options->value
                       : MEASURE_BYTES;
  progress_tell(progress, "selecting", 0, 0);
  if (!suppressions_find(&reduction->suppressed, profile, options, error))
    return false;
  select.suppressed = options->leaks_only ? reduction->suppressed : NULL;
  if (!frame_table_init(&reduction->frames, profile) ||
      !selection_init(selection, profile, &reduction->frames, &select,
                      error) ||
      !grouping_apply(&reduction->frames, selection, options->by))
    return false;
  progress_tell(progress, "adding up", 0, 0);
  if (!tally_init(&reduction->tally, selection) ||
      !region_figures_init(&reduction->regions, profile,
                           reduction->tally.regions))
    return false;
  progress_tell(progress, "building the call graph", 0, 0);
  return call_tree_init(&reduction->tree, selection, ITEMS_ARE_FUNCTIONS,
                        options->by != BY_FUNCTION) &&
         call_graph_init(&reduction->graph, &reduction->tree) &&
         cycles_init(&reduction->cycles, &reduction->graph);
}

bool
reduction_init(struct reduction *reduction, const struct profile *profile,
               const struct view_options *options, struct progress *progress,
               struct mprof_error *error)
{
  const struct measure_row *row = measure_row(profile, options->value);
  *reduction = (struct reduction){.options = options, .profile = profile};
  if (!measure_known(profile, options->value))
    return mprof_error_set(
        error, MPROF_BAD_PROFILE, MPROF_NO_OFFSET,
        "--value=%s: the profile does not record what was %s%s%s", row->word,
        row->what, row->hint == NULL ? "" : ": ",
        row->hint == NULL ? "" : row->hint);
  return build(reduction, progress, error) || mprof_error_memory(error);
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

void
reduction_release(struct reduction *reduction)
{
  cycles_release(&reduction->cycles);
  call_graph_release(&reduction->graph);
  call_tree_release(&reduction->tree);
  region_figures_release(&reduction->regions);
  tally_release(&reduction->tally);
  selection_release(&reduction->selection);
  frame_table_release(&reduction->frames);
  pool_free(reduction->suppressed);
}
