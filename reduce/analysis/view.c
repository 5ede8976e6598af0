/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Makes a view by its stages, each of which needs the ones before it. */

#include "analysis/view.h"

#include "analysis/frames.h"
#include "analysis/suppressions.h"
#include "base/pool.h"
#include "common/pprof_format.h"

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

/* Adds to MADE, which has columns for bytes and objects alone, what the
 * sample I of PROFILE allocated until the end of the slice with AT, less what
 * it freed. */
static void
add_in_use(struct profile *made, struct row_table *rows,
           const struct profile *profile, size_t i, uint64_t at)
{
  const struct profile_sample sample = profile->samples[i];
  const struct profile_labels *l = &profile->labels[sample.labels];
  const uint64_t allocs = profile_value(profile, i, MEASURE_ALLOCS);
  const uint64_t frees = profile_value(profile, i, COLUMN_OF_FREED_ALLOCS);
  if (l->time < 0 || (uint64_t)l->time > at || (allocs | frees) == 0)
    return;
  const uint64_t key[] = {sample.node, l->source,     l->phase,
                          l->type,     l->class_name, l->thread,
                          l->region,   l->has_bytes,  l->bytes};
  const size_t row = row_table_add(rows, key, sizeof key / sizeof *key);
  if (row == made->sample_count)
    profile_add_sample(made, sample);
  made->values[2 * row + MEASURE_BYTES] +=
      profile_value(profile, i, MEASURE_BYTES) -
      profile_value(profile, i, COLUMN_OF_FREED_BYTES);
  made->values[2 * row + MEASURE_ALLOCS] += allocs - frees;
}

/* Removes the samples of MADE of which nothing is left. */
static void
drop_freed(struct profile *made)
{
  size_t left = 0;
  for (size_t i = 0; i < made->sample_count; i++) {
    const uint64_t bytes = made->values[2 * i + MEASURE_BYTES];
    const uint64_t allocs = made->values[2 * i + MEASURE_ALLOCS];
    if (bytes > INT64_MAX || allocs > INT64_MAX || (allocs == 0 && bytes > 0))
      fail_with(MPROF_BAD_PROFILE,
                "--at: more was freed by then than was allocated");
    if (allocs == 0)
      continue;
    made->samples[left] = made->samples[i];
    made->values[2 * left + MEASURE_BYTES] = bytes;
    made->values[2 * left++ + MEASURE_ALLOCS] = allocs;
  }
  made->sample_count = left;
}

/* Returns PROFILE with what was in use at the end of the slice of time that
 * has AT in the place of what was allocated, and without times. */
static const struct profile *
in_use(const struct profile *profile, uint64_t at)
{
  struct row_table rows = {0};
  struct profile *made = pool_alloc(sizeof *made);
  const size_t label_count = profile->label_rows.row_count;
  if (!profile_has(profile, COLUMN_OF_FREED_BYTES))
    fail_with(
        MPROF_BAD_PROFILE,
        profile->language == LANGUAGE_LISP
            ? "--at: it is not known when objects of a Lisp program are "
              "freed; use --from and --to"
            : "--at: the profile does not say when objects were freed; "
              "record that with mprof run --timeline");
  *made = *allocations_alone(profile);
  made->samples = NULL;
  made->values = NULL;
  made->sample_count = made->sample_capacity = made->value_capacity = 0;
  made->column_count = 2;
  for (int m = MEASURE_BYTES; m <= MEASURE_ALLOCS; m++)
    made->column_of[m] = (struct profile_column){m, 1};
  for (size_t i = 0; i < profile->sample_count; i++)
    add_in_use(made, &rows, profile, i, at);
  drop_freed(made);
  made->labels = pool_zeroed(label_count, sizeof *made->labels);
  for (size_t i = 0; i < label_count; i++) {
    made->labels[i] = profile->labels[i];
    made->labels[i].time = -1;
  }
  made->comments =
      pool_zeroed(profile->comment_count, sizeof *made->comments);
  made->comment_count = 0;
  for (size_t i = 0; i < profile->comment_count; i++)
    if (profile_comment_value(profile, i, PPROF_COMMENT_SLICE) == NULL)
      made->comments[made->comment_count++] = profile->comments[i];
  return made;
}

const struct view *
view_make(const struct profile *profile, const struct view_options *options)
{
  struct view *view = pool_zeroed(1, sizeof *view);
  struct selection *selection = &view->selection;
  struct selection_options select = options->select;
  if (select.at != 0)
    profile = in_use(profile, select.at);
  else if (selection_is_of_time(&select))
    profile = allocations_alone(profile);
  const struct measure_row *row = measure_row(profile, options->value);
  if (!measure_known(profile, options->value))
    fail_with(MPROF_BAD_PROFILE,
              "--value=%s: the profile does not record what was %s%s",
              row->word, row->what, row->hint[profile->language]);
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
