/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Each expression is matched once for each function, not for each frame;
 * the pass over the samples then looks at booleans.  Linear in functions
 * plus frames.
 */

#include "graph/selection.h"

#include "profile/array.h"
#include "profile/region_path.h"
#include "profile/sample_phases.h"
#include "profile/session_root.h"
#include "profile/system_functions.h"

#include <regex.h>
#include <string.h>

/* Compiles EXPRESSION, the value of OPTION; false: nothing is to be freed. */
static bool
compile_regex(regex_t *regex, const char *expression, const char *option,
              struct mprof_error *error)
{
  int status = regcomp(regex, expression, REG_EXTENDED | REG_NOSUB);
  if (status == REG_ESPACE)
    return mprof_error_memory(error);
  if (status != 0) {
    char reason[128];
    regerror(status, regex, reason, sizeof reason);
    return mprof_error_set(error, MPROF_USAGE, MPROF_NO_OFFSET,
                           "--%s: '%s' is no regular expression: %s", option,
                           expression, reason);
  }
  return true;
}

const char *
expression_option(enum expression expression)
{
  static const char *const names[EXPRESSION_COUNT] = {
      [EXPRESSION_FOCUS] = "focus",         [EXPRESSION_IGNORE] = "ignore",
      [EXPRESSION_HIDE] = "hide",           [EXPRESSION_SHOW] = "show",
      [EXPRESSION_SHOW_FROM] = "show-from",
  };
  return names[expression];
}

const char *
expression_value(const struct options *options, enum expression expression)
{
  switch (expression) {
  case EXPRESSION_FOCUS:
    return options->focus;
  case EXPRESSION_IGNORE:
    return options->ignore;
  case EXPRESSION_HIDE:
    return options->hide;
  case EXPRESSION_SHOW:
    return options->show;
  default:
    return options->show_from;
  }
}

/* Sets MATCHES[f] for each function f that EXPRESSION matches; none when
 * OPTIONS do not give it. */
static bool
match_functions(struct selection *selection, const struct options *options,
                enum expression expression, bool *matches,
                struct mprof_error *error)
{
  const struct profile *profile = selection->profile;
  const char *value = expression_value(options, expression);
  bool any = false;
  regex_t regex;
  if (value == NULL)
    return true;
  if (!compile_regex(&regex, value, expression_option(expression), error))
    return false;
  for (size_t i = 0; i < profile->function_count; i++) {
    const struct profile_function *function = &profile->functions[i];
    const char *name = names_text(&profile->names, function->name);
    const char *file = names_text(&profile->names, function->file);
    matches[i] = regexec(&regex, name, 0, NULL, 0) == 0 ||
                 (!function->runtime && *file != '\0' &&
                  regexec(&regex, file, 0, NULL, 0) == 0);
    any = any || matches[i];
  }
  regfree(&regex);
  if (!any)
    selection->unmatched |= 1u << expression;
  return true;
}

/* Sets MATCHES[t] for each thread t that EXPRESSION matches; for all when it
 * is NULL. */
static bool
match_threads(const struct profile *profile, const char *expression,
              bool *matches, struct mprof_error *error)
{
  regex_t regex;
  if (expression != NULL &&
      !compile_regex(&regex, expression, "thread", error))
    return false;
  for (size_t t = 0; t < profile->thread_count; t++)
    matches[t] =
        expression == NULL ||
        regexec(&regex, profile_thread_name(profile, t), 0, NULL, 0) == 0;
  if (expression != NULL)
    regfree(&regex);
  return true;
}

/* Sets MATCHES[r] for each region r of which EXPRESSION matches the path, or
 * that of a region around it; for all when it is NULL. */
static bool
match_regions(const struct profile *profile, const char *expression,
              bool *matches, struct mprof_error *error)
{
  regex_t regex;
  if (expression != NULL &&
      !compile_regex(&regex, expression, "region", error))
    return false;
  bool good = true;
  for (size_t r = 0; r < profile->region_count; r++) {
    char *path = strdup(names_text(&profile->names, profile->regions[r]));
    good = good && path != NULL;
    matches[r] = expression == NULL;
    while (path != NULL && !matches[r] && *path != '\0') {
      matches[r] = regexec(&regex, path, 0, NULL, 0) == 0;
      path[region_path_outer(path)] = '\0';
    }
    free(path);
  }
  if (expression != NULL)
    regfree(&regex);
  return good || mprof_error_memory(error);
}

static bool
chain_has(const struct selection *selection,
          const struct profile_sample *sample, const bool *functions)
{
  size_t length;
  const uint32_t *chain = selection_chain(selection, sample, &length);
  for (size_t i = 0; i < length; i++)
    if (functions[selection->profile->frames[chain[i]].function])
      return true;
  return false;
}

/* What samples are chosen by. */
struct choice {
  unsigned phases;                 /* bit i: enum phase i */
  bool *matched[EXPRESSION_COUNT]; /* by function */
  bool show_from;
  bool *of_threads; /* by thread */
  bool *of_regions; /* by region */
  bool *chosen;     /* by sample; NULL: all */
};

/* Lets the chain of the sample INDEX begin at the first frame, from the root,
 * that shows and is one of FUNCTIONS.  False when there is none. */
static bool
begin_from(struct selection *selection, size_t index, const bool *functions)
{
  const struct profile *profile = selection->profile;
  size_t length;
  const uint32_t *chain =
      selection_chain(selection, &profile->samples[index], &length);
  for (; length > 0; length--) {
    uint32_t function = profile->frames[chain[length - 1]].function;
    if (functions[function] && !selection->hidden[function])
      break;
  }
  selection->lengths[index] = length;
  return length > 0;
}

/* Decides on each sample. */
static void
choose_samples(struct selection *selection, const struct choice *choice)
{
  const struct profile *profile = selection->profile;
  for (size_t i = 0; i < profile->sample_count; i++) {
    const struct profile_sample *sample = &profile->samples[i];
    bool allocates = sample->allocs != 0 || sample->bytes != 0;
    bool kept =
        (choice->phases >> selection->phases[i] & 1) != 0 &&
        choice->of_threads[sample->thread] &&
        choice->of_regions[sample->region] &&
        !chain_has(selection, sample, choice->matched[EXPRESSION_IGNORE]) &&
        (!selection->has_focus || !allocates ||
         chain_has(selection, sample, choice->matched[EXPRESSION_FOCUS])) &&
        (!choice->show_from ||
         begin_from(selection, i, choice->matched[EXPRESSION_SHOW_FROM]));
    selection->calls_kept[i] = kept && profile->has_activations;
    if (allocates && choice->chosen != NULL && !choice->chosen[i])
      kept = false;
    selection->kept[i] = kept;
    if (!kept && allocates)
      selection->narrowed = true;
    if (kept) {
      struct figures figures =
          figures_of_sample(sample, &profile->types[sample->type]);
      figures_add(&selection->total, &figures);
    }
  }
}

/* Whether FUNCTION is hidden by its kind. */
static bool
is_hidden_kind(const struct profile *profile,
               const struct profile_function *function,
               const struct options *options)
{
  if (function->runtime)
    return !options->show_runtime;
  return options->hide_system && profile->language == LANGUAGE_LISP &&
         !function->c &&
         is_system_function(names_text(&profile->names, function->name),
                            names_text(&profile->names, function->file));
}

static void
hide_functions(struct selection *selection, const struct options *options,
               const struct choice *choice)
{
  const struct profile *profile = selection->profile;
  for (size_t i = 0; i < profile->function_count; i++)
    selection->hidden[i] =
        is_hidden_kind(profile, &profile->functions[i], options) ||
        choice->matched[EXPRESSION_HIDE][i] ||
        (options->show != NULL && !choice->matched[EXPRESSION_SHOW][i]);
}

/* Cuts the chains, and finds the phases: these do not depend on whether what
 * is cut off shows. */
static bool
trace_chains(struct selection *selection, const struct options *options)
{
  const struct profile *profile = selection->profile;
  bool whole = options->show_root || options->show_runtime;
  if (!session_root_cut(profile, false, selection->lengths))
    return false;
  selection->phases = sample_phases(profile, selection->lengths);
  return selection->phases != NULL &&
         (!whole || session_root_cut(profile, true, selection->lengths));
}

/* Marks the samples that somebody else has chosen. */
static bool
mark_samples(const struct input_choice *open, bool *chosen, size_t count,
             struct mprof_error *error)
{
  for (size_t i = 0; i < open->sample_count; i++) {
    if (open->samples[i] >= count)
      return mprof_error_set(error, MPROF_USAGE, MPROF_NO_OFFSET,
                             "there is no sample %llu, there are %zu",
                             (unsigned long long)open->samples[i], count);
    chosen[open->samples[i]] = true;
  }
  return true;
}

static bool
match_options(struct selection *selection, const struct options *options,
              const struct choice *choice, struct mprof_error *error)
{
  for (int i = 0; i < EXPRESSION_COUNT; i++)
    if (!match_functions(selection, options, (enum expression)i,
                         choice->matched[i], error))
      return false;
  return match_threads(selection->profile, options->thread,
                       choice->of_threads, error) &&
         match_regions(selection->profile, options->region,
                       choice->of_regions, error) &&
         (choice->chosen == NULL ||
          mark_samples(options->open, choice->chosen,
                       selection->profile->sample_count, error));
}

/* Whether somebody else has chosen samples. */
static bool
samples_chosen(const struct options *options)
{
  return options->open != NULL && options->open->samples != NULL;
}

/* Makes room for what is matched. */
static bool
init_choice(struct choice *choice, const struct profile *profile,
            const struct options *options)
{
  bool chosen = samples_chosen(options);
  *choice = (struct choice){
      .phases = options->phases != 0 ? options->phases : ~0u,
      .show_from = options->show_from != NULL,
      .of_threads = array_zeroed(profile->thread_count, sizeof(bool)),
      .of_regions = array_zeroed(profile->region_count, sizeof(bool)),
      .chosen =
          chosen ? array_zeroed(profile->sample_count, sizeof(bool)) : NULL,
  };
  bool good = choice->of_threads != NULL && choice->of_regions != NULL &&
              (!chosen || choice->chosen != NULL);
  for (int i = 0; i < EXPRESSION_COUNT; i++) {
    choice->matched[i] = array_zeroed(profile->function_count, sizeof(bool));
    good = good && choice->matched[i] != NULL;
  }
  return good;
}

static void
release_choice(struct choice *choice)
{
  for (int i = 0; i < EXPRESSION_COUNT; i++)
    free(choice->matched[i]);
  free(choice->of_threads);
  free(choice->of_regions);
  free(choice->chosen);
}

bool
selection_init(struct selection *selection, const struct profile *profile,
               const struct options *options, struct mprof_error *error)
{
  struct choice choice;
  bool substituted =
      options->one_measure && measure_rows[options->value].what != NULL;
  memset(selection, 0, sizeof *selection);
  selection->profile = profile;
  selection->has_focus = options->focus != NULL;
  selection->by_allocations = options->focus != NULL ||
                              options->phases != 0 ||
                              samples_chosen(options) || substituted;
  selection->narrowed = substituted;
  selection->hidden = array_zeroed(profile->function_count, sizeof(bool));
  selection->kept = array_zeroed(profile->sample_count, sizeof(bool));
  selection->calls_kept = array_zeroed(profile->sample_count, sizeof(bool));
  selection->lengths = array_zeroed(profile->sample_count, sizeof(size_t));
  bool good = init_choice(&choice, profile, options) &&
              selection->hidden != NULL && selection->kept != NULL &&
              selection->calls_kept != NULL && selection->lengths != NULL &&
              trace_chains(selection, options);
  if (!good)
    mprof_error_memory(error);
  else
    good = match_options(selection, options, &choice, error);
  if (good) {
    hide_functions(selection, options, &choice);
    choose_samples(selection, &choice);
  }
  release_choice(&choice);
  return good;
}

void
selection_release(struct selection *selection)
{
  free(selection->hidden);
  free(selection->kept);
  free(selection->calls_kept);
  free(selection->lengths);
  free(selection->phases);
  memset(selection, 0, sizeof *selection);
}

enum nameless
selection_nameless(const struct selection *selection,
                   const struct profile_sample *sample)
{
  const struct profile *profile = selection->profile;
  size_t length;
  const uint32_t *chain = selection_chain(selection, sample, &length);
  if (sample->frame_count == 0)
    return NAMELESS_UNKNOWN;
  for (size_t i = 0; i < length; i++)
    if (!profile->functions[profile->frames[chain[i]].function].runtime)
      return NAMELESS_HIDDEN;
  return length < sample->frame_count ? NAMELESS_SESSION : NAMELESS_RUNTIME;
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
