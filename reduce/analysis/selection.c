/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Each expression is matched once for each function (selection_match.c); then
 * one pass over the nodes, and one over the samples.
 */

#include "analysis/selection.h"

#include "analysis/calls_outside.h"
#include "analysis/selection_match.h"
#include "base/array.h"
#include "common/system_functions.h"

#include <string.h>

/* ---- functions ---- */

bool
is_function_name(const char *text)
{
  size_t length = strlen(text);
  bool placeholder = length >= 2 && text[0] == '[' && text[length - 1] == ']';
  bool address = strncmp(text, "0x", 2) == 0;
  return length > 0 && !placeholder && !address &&
         strcmp(text, "(OUT-OF-MEMORY)") != 0;
}

static bool
matches(const struct selection *selection, size_t function,
        enum expression expression)
{
  return (selection->matches[function] >> expression & 1) != 0;
}

/* Whether the function I is hidden by its kind. */
static bool
is_hidden_kind(const struct selection *selection, size_t i)
{
  const struct frame_table *frames = selection->frames;
  const struct function *function = &frames->functions[i];
  if (function->runtime)
    return !selection->options.show_runtime;
  return selection->options.hide_system &&
         selection->profile->language == LANGUAGE_LISP && !function->c &&
         is_system_function(function_name(frames, i),
                            function_file(frames, i));
}

/* What the function I means to the phases. */
static enum phase_role
role_of(const struct selection *selection, size_t i)
{
  const struct frame_table *frames = selection->frames;
  const struct function *function = &frames->functions[i];
  if (selection->profile->language != LANGUAGE_LISP)
    return ROLE_NEUTRAL;
  /* whatever it is called: so the monitor has it, too, which does not know C
   * names while it counts */
  if (function->c && !function->runtime)
    return ROLE_PROGRAM;
  return phase_role_of(function_name(frames, i), function_file(frames, i),
                       function->runtime);
}

static void
judge_functions(struct selection *selection)
{
  const struct selection_options *options = &selection->options;
  for (size_t i = 0; i < selection->frames->function_count; i++) {
    selection->hidden[i] =
        is_hidden_kind(selection, i) ||
        matches(selection, i, EXPRESSION_HIDE) ||
        (options->expressions[EXPRESSION_SHOW] != NULL &&
         !matches(selection, i, EXPRESSION_SHOW));
    selection->roles[i] = (unsigned char)role_of(selection, i);
    if (is_function_name(function_name(selection->frames, i)))
      selection->matches[i] |= 1u << EXPRESSION_COUNT;
  }
}

/* ---- chains ---- */

/* What FLAGS of a chain become by the name of FUNCTION, unless that is of a
 * runtime that is hidden. */
static unsigned
note_name(const struct selection *selection, unsigned flags, size_t function)
{
  if (selection->frames->functions[function].runtime &&
      !selection->options.show_runtime)
    return flags;
  flags = (flags | CHAIN_LEAF_KNOWN) & ~(unsigned)CHAIN_LEAF_NAMED;
  return matches(selection, function, EXPRESSION_COUNT)
             ? flags | CHAIN_LEAF_NAMED
             : flags | CHAIN_HAS_NAMELESS;
}

/* Goes on by FUNCTION, the first that runs a profiled body. */
static void
step_over_root(const struct selection *selection, struct chain_walk *walk)
{
  walk->state = STATE_RUN;
  walk->flags = (unsigned char)(CHAIN_BELOW_ROOT |
                                (selection->cuts ? 0 : walk->flags));
}

bool
chain_walk_step(const struct selection *selection, struct chain_walk *walk,
                const struct frame *frame, bool *restarts)
{
  uint32_t function = frame->function;
  bool root = selection->roots[function] &&
              (walk->flags & CHAIN_BELOW_ROOT) == 0;
  *restarts = root && selection->cuts;
  if (root)
    step_over_root(selection, walk);
  else
    walk->state =
        phase_next(walk->state, (enum phase_role)selection->roles[function]);
  if (*restarts)
    return false;
  unsigned flags = walk->flags;
  bool from = selection->options.expressions[EXPRESSION_SHOW_FROM] != NULL;
  bool shows = !selection->hidden[function];
  if (matches(selection, function, EXPRESSION_FOCUS))
    flags |= CHAIN_FOCUS;
  if (matches(selection, function, EXPRESSION_IGNORE))
    flags |= CHAIN_IGNORE;
  if (!selection->frames->functions[function].runtime)
    flags |= CHAIN_PROGRAM;
  if (!from ||
      (shows && matches(selection, function, EXPRESSION_SHOW_FROM)))
    flags |= CHAIN_BEGUN;
  if ((flags & CHAIN_BEGUN) != 0)
    flags = note_name(selection, flags, function);
  walk->flags = (unsigned char)flags;
  return shows && (flags & CHAIN_BEGUN) != 0;
}

/* Finds what is to be known of each node. */
static void
judge_nodes(struct selection *selection)
{
  const struct tree *tree = &selection->profile->tree;
  const struct frame_table *frames = selection->frames;
  bool ignored;
  selection->flags[TREE_ROOT] = 0;
  selection->states[TREE_ROOT] = STATE_RUN;
  for (size_t i = TREE_ROOT + 1; i < tree->count; i++) {
    struct chain_walk walk = chain_walk_at(selection, tree->nodes[i].parent);
    uint32_t location = tree->nodes[i].item;
    for (uint32_t f = frames->first_frames[location + 1];
         f-- > frames->first_frames[location];)
      chain_walk_step(selection, &walk, &frames->frames[f], &ignored);
    selection->flags[i] = walk.flags;
    selection->states[i] = (unsigned char)walk.state;
  }
}

enum nameless
selection_nameless(const struct selection *selection, uint32_t node)
{
  unsigned flags = selection->flags[node];
  if (node == TREE_ROOT)
    return NAMELESS_UNKNOWN;
  if ((flags & CHAIN_PROGRAM) != 0)
    return NAMELESS_HIDDEN;
  return selection->cuts && (flags & CHAIN_BELOW_ROOT) != 0
             ? NAMELESS_SESSION
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
  profile_count(selection->profile, i, count);
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
  return phase_of_state(
      chain_walk_at(selection, profile_end(profile, i)).state);
}

/* Whether sample I has what its allocations and its calls have in common. */
static bool
is_chosen(const struct selection *selection, size_t i)
{
  const struct profile_sample *sample = &selection->profile->samples[i];
  const struct profile_labels *labels =
      &selection->profile->labels[sample->labels];
  uint64_t phases = selection->options.phases;
  unsigned flags = selection->flags[profile_end(selection->profile, i)];
  return (phases == 0 ||
          (phases >> selection_phase(selection, i) & 1) != 0) &&
         selection->of_threads[labels->thread] &&
         selection->of_regions[labels->region] &&
         (flags & CHAIN_IGNORE) == 0 &&
         (selection->options.expressions[EXPRESSION_SHOW_FROM] == NULL ||
          (flags & CHAIN_BEGUN) != 0);
}

bool
selection_keeps(const struct selection *selection, size_t i,
                const struct sample_count *count)
{
  uint32_t node = profile_end(selection->profile, i);
  return (count->counts[MEASURE_BYTES] != 0 ||
          count->counts[MEASURE_ALLOCS] != 0) &&
         is_chosen(selection, i) &&
         (selection->options.expressions[EXPRESSION_FOCUS] == NULL ||
          (selection->flags[node] & CHAIN_FOCUS) != 0) &&
         (selection->of_types == NULL || selection->of_types[count->type]) &&
         (selection->options.categories == NULL ||
          count->size_kind != SIZE_UNKNOWN) &&
         (selection->chosen == NULL || selection->chosen[i]);
}

bool
selection_keeps_calls(const struct selection *selection, size_t i)
{
  return selection->counts_calls &&
         calls_count(selection, profile_end(selection->profile, i)) &&
         is_chosen(selection, i);
}

static void
add_up(struct selection *selection)
{
  const struct profile *profile = selection->profile;
  for (size_t i = 0; i < profile->sample_count; i++) {
    struct sample_count count;
    unsigned flags = selection->flags[profile_end(profile, i)];
    selection_count(selection, i, &count);
    struct figures figures = figures_of(profile, &count);
    if (selection_keeps(selection, i, &count))
      figures_add(&selection->total, &figures);
    else if (figures_any(&figures))
      selection->narrowed = true;
    if ((flags & CHAIN_LEAF_NAMED) == 0)
      selection->nameless_leaf_bytes += figures.bytes;
    if ((flags & CHAIN_HAS_NAMELESS) != 0 || (flags & CHAIN_LEAF_KNOWN) == 0)
      selection->nameless_chain_bytes += figures.bytes;
  }
}

/* ---- the whole ---- */

static bool
chooses_types(const struct selection_options *options)
{
  return options->type != NULL || options->categories != NULL;
}

static bool
make_room(struct selection *selection)
{
  const struct profile *profile = selection->profile;
  size_t functions = selection->frames->function_count;
  selection->hidden = array_zeroed(functions, sizeof(bool));
  selection->roots = array_zeroed(functions, sizeof(bool));
  selection->matches = array_zeroed(functions, 1);
  selection->roles = array_zeroed(functions, 1);
  selection->of_threads = array_zeroed(profile->thread_count, sizeof(bool));
  selection->of_regions = array_zeroed(profile->region_count, sizeof(bool));
  selection->flags = array_zeroed(profile->tree.count, 1);
  selection->states = array_zeroed(profile->tree.count, 1);
  bool samples = selection->options.samples != NULL;
  bool types = chooses_types(&selection->options);
  if (types)
    selection->of_types = array_zeroed(profile->type_count, sizeof(bool));
  if (samples)
    selection->chosen = array_zeroed(profile->sample_count, sizeof(bool));
  return selection->hidden != NULL && selection->roots != NULL &&
         selection->matches != NULL && selection->roles != NULL &&
         selection->of_threads != NULL && selection->of_regions != NULL &&
         selection->flags != NULL && selection->states != NULL &&
         (!types || selection->of_types != NULL) &&
         (!samples || selection->chosen != NULL);
}

/* Whether the calls of what is chosen are known: the monitors count them for
 * all regions, and that of C programs for all threads. */
static bool
calls_known(const struct profile *profile,
            const struct selection_options *options)
{
  return profile_has(profile, COLUMN_OF_CALLS) && options->region == NULL &&
         (options->thread == NULL || profile->language != LANGUAGE_C);
}

bool
selection_init(struct selection *selection, const struct profile *profile,
               const struct frame_table *frames,
               const struct selection_options *options,
               struct mprof_error *error)
{
  bool substituted = measure_rows[options->counted].what != NULL;
  memset(selection, 0, sizeof *selection);
  selection->profile = profile;
  selection->frames = frames;
  selection->options = *options;
  selection->cuts = !options->show_root && !options->show_runtime;
  selection->by_allocations =
      options->expressions[EXPRESSION_FOCUS] != NULL ||
      options->phases != 0 || options->samples != NULL ||
      chooses_types(options) || substituted;
  selection->narrowed = substituted;
  selection->counts_calls = calls_known(profile, options);
  if (!make_room(selection))
    return mprof_error_memory(error);
  if (!selection_match(selection, error))
    return false;
  judge_functions(selection);
  judge_nodes(selection);
  if (!calls_outside_find(selection))
    return mprof_error_memory(error);
  add_up(selection);
  return true;
}

void
selection_release(struct selection *selection)
{
  free(selection->hidden);
  free(selection->roots);
  free(selection->matches);
  free(selection->roles);
  free(selection->of_threads);
  free(selection->of_regions);
  free(selection->of_types);
  free(selection->chosen);
  free(selection->flags);
  free(selection->states);
  memset(selection, 0, sizeof *selection);
}
