/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Makes a view by its stages, each of which needs the ones before it. */

#include "analysis/view.h"

#include "analysis/frames.h"
#include "analysis/suppressions.h"
#include "base/pool.h"

#include <string.h>

/* PROFILE without all that has no time: what was kept, say, is known of all
 * slices together (images/timeline.c). */
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

const struct view *
view_make(const struct profile *profile, const struct view_options *options)
{
  struct view *view = pool_zeroed(1, sizeof *view);
  struct selection *selection = &view->selection;
  struct selection_options select = options->select;
  if (selection_is_of_time(&select))
    profile = allocations_alone(profile);
  const struct measure_row *row = measure_row(profile, options->value);
  if (!measure_known(profile, options->value))
    fail_with(MPROF_BAD_PROFILE,
              "--value=%s: the profile does not record what was %s%s%s",
              row->word, row->what, row->hint == NULL ? "" : ": ",
              row->hint == NULL ? "" : row->hint);
  select.counted = options->one_measure || measure_is_held(options->value)
                       ? options->value
                       : MEASURE_BYTES;
  progress_tell("selecting", 0, 0);
  view->options = options;
  view->profile = profile;
  view->suppressed = suppressions_find(profile, options);
  select.suppressed = options->leaks_only ? view->suppressed : NULL;
  frame_table_init(&view->frames, profile);
  selection_match(selection, profile, &view->frames, &select);
  frame_table_group(&view->frames, options->by, options->by_label,
                    selection->functions);
  selection_judge(selection, options->by);
  call_tree_init(&view->tree, selection, options->by != BY_FUNCTION);
  if (options->tree_alone)
    return view;
  progress_tell("adding up", 0, 0);
  tally_init(&view->tally, selection);
  region_figures_init(&view->regions, profile, view->tally.regions);
  progress_tell("building the call graph", 0, 0);
  call_graph_init(&view->graph, &view->tree);
  call_graph_find_cycles(&view->graph);
  return view;
}

const char *
node_file(const struct view *view, const struct graph_node *node)
{
  return node->function == INDEX_NONE
             ? ""
             : function_file(&view->frames, node->function);
}

int64_t
node_line(const struct view *view, const struct graph_node *node)
{
  int64_t line = node->function == INDEX_NONE
                     ? 0
                     : view->frames.functions[node->function].start_line;
  return line < 0 ? 0 : line;
}

const struct graph_node *
view_node(const struct view *view, const char *name)
{
  const struct call_graph *graph = &view->graph;
  const uint32_t id = names_find(&view->frames.names, name);
  if (id != NAMES_NONE && view->tree.item_of[id] != INDEX_NONE)
    return &graph->nodes[view->tree.item_of[id]];
  for (size_t i = 0; i < graph->node_count; i++)
    if (graph->nodes[i].function == INDEX_NONE &&
        strcmp(graph->nodes[i].name, name) == 0)
      return &graph->nodes[i];
  return NULL;
}
