/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Each expression is matched once for each function (selection_match.c); then
 * one pass over the nodes, and one over the samples.
 */

#include "analysis/selection.h"

#include "base/array.h"
#include "common/pprof_format.h"

#include <string.h>

/* ---- chains ---- */

/* Returns where a chain starts: with what is not asked for as found. */
static struct chain_walk
walk_start(const struct selection *selection)
{
  bool *const *given = selection->matches;
  int flags = (given[EXPRESSION_FOCUS] == NULL ? CHAIN_FOCUS : 0) |
              (given[EXPRESSION_SHOW_FROM] == NULL ? CHAIN_BEGUN : 0);
  return (struct chain_walk){(unsigned char)flags, STATE_RUN};
}

/* Returns what FUNCTION, that shows unless it is hidden, makes of a chain's
 * FLAGS. */
static unsigned
note_function(const struct selection *selection, unsigned flags, uint32_t f)
{
  const struct function_choice *function = &selection->functions[f];
  bool runtime = selection->frames->functions[f].runtime;
  if (is_matched(selection, EXPRESSION_FOCUS, f))
    flags |= CHAIN_FOCUS;
  if (is_matched(selection, EXPRESSION_IGNORE, f))
    flags |= CHAIN_IGNORE;
  if (!runtime)
    flags |= CHAIN_PROGRAM;
  if (!function->hidden && is_matched(selection, EXPRESSION_SHOW_FROM, f))
    flags |= CHAIN_BEGUN;
  if ((flags & CHAIN_BEGUN) == 0 ||
      (runtime && selection->options.system != SYSTEM_SHOWN))
    return flags;
  flags = (flags | CHAIN_LEAF_KNOWN) & ~(unsigned)CHAIN_LEAF_NAMED;
  return flags | (function->named ? CHAIN_LEAF_NAMED : CHAIN_HAS_NAMELESS);
}

size_t
selection_shown(const struct selection *selection, uint32_t node,
                uint32_t *shown, struct chain_walk *end)
{
  const struct tree_node *n = &selection->profile->tree.nodes[node];
  const struct frame_table *frames = selection->frames;
  struct chain_walk walk = selection->walks[n->parent];
  size_t count = 0;
  for (uint32_t i = frames->first_frames[n->item + 1];
       i-- > frames->first_frames[n->item];) {
    uint32_t f = frames->frames[i].function;
    const struct function_choice *function = &selection->functions[f];
    bool root = function->root && (walk.flags & CHAIN_BELOW_ROOT) == 0;
    if (root && selection->cuts) { /* what showed before does not */
      count = 0;
      walk = walk_start(selection);
      walk.flags |= CHAIN_BELOW_ROOT;
      continue;
    }
    walk.state = root ? STATE_RUN
                      : (unsigned char)phase_next(walk.state, function->role);
    walk.flags |= root ? CHAIN_BELOW_ROOT : 0;
    walk.flags = (unsigned char)note_function(selection, walk.flags, f);
    if (function->hidden || (walk.flags & CHAIN_BEGUN) == 0)
      continue;
    if (shown != NULL)
      shown[count] = i;
    count++;
  }
  if (end != NULL)
    *end = walk;
  return count;
}

bool
selection_begins(const struct selection *selection, uint32_t node)
{
  uint32_t parent = selection->profile->tree.nodes[node].parent;
  return selection->cuts && is_below_root(selection, node) &&
         !is_below_root(selection, parent);
}

enum nameless
selection_nameless(const struct selection *selection, uint32_t node)
{
  if (node == TREE_ROOT)
    return NAMELESS_UNKNOWN;
  if ((selection->walks[node].flags & CHAIN_PROGRAM) != 0)
    return NAMELESS_HIDDEN;
  return selection->cuts && is_below_root(selection, node) ? NAMELESS_SESSION
                                                           : NAMELESS_RUNTIME;
}

const char *
nameless_name(enum nameless reason)
{
  static const char *const names[NAMELESS_COUNT] = {
      [NAMELESS_UNKNOWN] = "[unknown]",
      [NAMELESS_HIDDEN] = "[hidden]",
      [NAMELESS_RUNTIME] = "[runtime]",
      [NAMELESS_SESSION] = "[session]",
  };
  return names[reason];
}

/* ---- samples ---- */

void
selection_count(const struct selection *selection, size_t i,
                struct sample_count *count)
{
  const struct measure_row *row = &measure_rows[selection->options.counted];
  const bool *suppressed = selection->options.suppressed;
  profile_count(selection->profile, i, count);
  if (suppressed != NULL && suppressed[selection->profile->samples[i].node])
    count->counts[MEASURE_KEPT_BYTES] = count->counts[MEASURE_KEPT_ALLOCS] =
        count->counts[MEASURE_LOST_BYTES] =
            count->counts[MEASURE_LOST_ALLOCS] = 0;
  count->weight = row->bytes ? MEASURE_BYTES : MEASURE_ALLOCS;
  if (row->what == NULL)
    return;
  uint64_t bytes =
      row->as_bytes == MEASURE_COUNT ? 0 : count->counts[row->as_bytes];
  uint64_t allocs = count->counts[row->as_allocs];
  memset(count->counts, 0, sizeof count->counts);
  count->counts[MEASURE_BYTES] = bytes;
  count->counts[MEASURE_ALLOCS] = allocs;
}

enum phase
selection_phase(const struct selection *selection, size_t i)
{
  const struct profile *profile = selection->profile;
  enum phase stated = profile->labels[profile->samples[i].labels].phase;
  if (stated != PHASE_COUNT)
    return stated;
  return phase_of_state(selection->walks[profile->samples[i].node].state);
}

bool
selection_is_of_time(const struct selection_options *options)
{
  return (options->from | options->to | options->at) != 0;
}

/* Returns whether a slice of time that starts at TIME, -1 for none, counts.
 */
static bool
is_in_time(const struct selection_options *options, int64_t time)
{
  return (options->from | options->to) == 0 ||
         (time >= 0 && (uint64_t)time >= options->from &&
          (options->to == 0 || (uint64_t)time < options->to));
}

/* Returns what counts of sample I, which counts COUNT, of a chain with
 * FLAGS. */
static unsigned char
judge_sample(const struct selection *selection, size_t i,
             const struct sample_count *count, unsigned flags)
{
  const struct profile *profile = selection->profile;
  const struct selection_options *options = &selection->options;
  const struct profile_labels *labels =
      &profile->labels[profile->samples[i].labels];
  if ((flags & CHAIN_IGNORE) != 0 || (flags & CHAIN_BEGUN) == 0 ||
      !is_in_time(options, labels->time) ||
      !is_chosen(selection, EXPRESSION_THREAD, labels->thread) ||
      !is_chosen(selection, EXPRESSION_REGION, labels->region) ||
      !is_chosen(selection, EXPRESSION_LABEL, labels->region) ||
      (options->phases != 0 &&
       (options->phases >> selection_phase(selection, i) & 1) == 0))
    return 0;
  if ((flags & CHAIN_FOCUS) == 0 ||
      !is_chosen(selection, EXPRESSION_TYPE, count->type) ||
      (options->categories != NULL &&
       (count->size_kind == SIZE_UNKNOWN ||
        !selection->categories[profile->types[count->type].category])))
    return KEPT_CALLS;
  return KEPT_ALL;
}

static void
judge_samples(struct selection *selection)
{
  const struct profile *profile = selection->profile;
  for (size_t i = 0; i < profile->sample_count; i++) {
    struct sample_count count;
    unsigned flags = selection->walks[profile->samples[i].node].flags;
    selection_count(selection, i, &count);
    struct figures figures = figures_of(profile, &count);
    const bool frees = profile_value(profile, i, COLUMN_OF_FREED_ALLOCS) != 0;
    selection->kept[i] &= judge_sample(selection, i, &count, flags);
    if (count.calls == 0)
      selection->kept[i] &= (unsigned char)~KEPT_CALLS;
    if (!figures_any(&figures) && !frees)
      selection->kept[i] &= (unsigned char)~KEPT_ALLOCATIONS;
    else if (selection_keeps(selection, i))
      figures_add(&selection->total, &figures);
    else
      selection->narrowed = true;
    if ((flags & CHAIN_LEAF_NAMED) == 0)
      selection->nameless_leaf_bytes += figures.bytes;
    if ((flags & CHAIN_HAS_NAMELESS) != 0 || (flags & CHAIN_LEAF_KNOWN) == 0)
      selection->nameless_chain_bytes += figures.bytes;
  }
}

/* ---- the whole ---- */

/* Returns whether the calls of what is chosen are known: the monitors count
 * them for all regions, and that of C programs for all threads. */
static bool
calls_known(const struct profile *profile,
            const struct selection_options *options)
{
  return profile_has(profile, COLUMN_OF_CALLS) &&
         options->expressions[EXPRESSION_REGION] == NULL &&
         options->expressions[EXPRESSION_LABEL] == NULL &&
         (options->expressions[EXPRESSION_THREAD] == NULL ||
          profile->language != LANGUAGE_C);
}

void
selection_judge(struct selection *selection, enum granularity by)
{
  const struct profile *profile = selection->profile;
  const struct selection_options *options = &selection->options;
  const bool substituted = measure_rows[options->counted].what != NULL;
  selection->walks =
      pool_zeroed(profile->tree.count, sizeof *selection->walks);
  selection->cuts = options->system < SYSTEM_ROOT;
  selection->by_allocations =
      options->expressions[EXPRESSION_FOCUS] != NULL ||
      options->phases != 0 || options->samples != NULL ||
      selection_is_of_time(options) ||
      options->expressions[EXPRESSION_TYPE] != NULL ||
      options->categories != NULL || substituted;
  selection->narrowed = substituted || options->at != 0;
  selection->counts_calls = calls_known(profile, options) &&
                            !measure_is_held(options->counted) &&
                            groups_have_calls(selection->frames, by);
  selection->walks[TREE_ROOT] = walk_start(selection);
  for (uint32_t i = TREE_ROOT + 1; i < profile->tree.count; i++)
    selection_shown(selection, i, NULL, &selection->walks[i]);
  judge_samples(selection);
  selection_count_calls(selection);
}
