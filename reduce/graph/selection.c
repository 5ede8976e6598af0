/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Each expression is matched once for each function, not for each frame;
 * the pass over the samples then looks at booleans.  Linear in functions
 * plus frames.
 */

#include "graph/selection.h"

#include "graph/sample_numbers.h"
#include "profile/array.h"
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

/* Sets MATCHES[f] for each function f that EXPRESSION matches. */
static bool
match_functions(const struct profile *profile, const char *expression,
                const char *option, bool *matches, struct mprof_error *error)
{
  regex_t regex;
  if (!compile_regex(&regex, expression, option, error))
    return false;
  for (size_t i = 0; i < profile->function_count; i++) {
    const struct profile_function *function = &profile->functions[i];
    const char *name = names_text(&profile->names, function->name);
    const char *file = names_text(&profile->names, function->file);
    if (regexec(&regex, name, 0, NULL, 0) == 0 ||
        (!function->runtime && *file != '\0' &&
         regexec(&regex, file, 0, NULL, 0) == 0))
      matches[i] = true;
  }
  regfree(&regex);
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
  unsigned phases;  /* bit i: enum phase i */
  bool *focused;    /* by function */
  bool *ignored;    /* by function */
  bool *of_threads; /* by thread */
  bool *chosen;     /* by sample; NULL: all */
};

/* Decides on each sample. */
static void
choose_samples(struct selection *selection, const struct choice *choice)
{
  const struct profile *profile = selection->profile;
  for (size_t i = 0; i < profile->sample_count; i++) {
    const struct profile_sample *sample = &profile->samples[i];
    bool allocates = sample->allocs != 0 || sample->bytes != 0;
    bool kept = (choice->phases >> selection->phases[i] & 1) != 0 &&
                choice->of_threads[sample->thread] &&
                !chain_has(selection, sample, choice->ignored) &&
                (!selection->has_focus || !allocates ||
                 chain_has(selection, sample, choice->focused));
    selection->calls_kept[i] = kept;
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

/* Hides what is hidden by its kind. */
static void
hide_functions(struct selection *selection, const struct options *options)
{
  const struct profile *profile = selection->profile;
  for (size_t i = 0; i < profile->function_count; i++) {
    const struct profile_function *function = &profile->functions[i];
    if (function->runtime
            ? !options->show_runtime
            : options->hide_system && profile->language == LANGUAGE_LISP &&
                  is_system_function(
                      names_text(&profile->names, function->name),
                      names_text(&profile->names, function->file)))
      selection->hidden[i] = true;
  }
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

static bool
match_options(struct selection *selection, const struct options *options,
              const struct choice *choice, struct mprof_error *error)
{
  const struct profile *profile = selection->profile;
  return (options->focus == NULL ||
          match_functions(profile, options->focus, "focus", choice->focused,
                          error)) &&
         (options->ignore == NULL ||
          match_functions(profile, options->ignore, "ignore", choice->ignored,
                          error)) &&
         (options->hide == NULL ||
          match_functions(profile, options->hide, "hide", selection->hidden,
                          error)) &&
         match_threads(profile, options->thread, choice->of_threads, error) &&
         (options->samples == NULL ||
          sample_numbers_read(options->samples, choice->chosen,
                              profile->sample_count, error));
}

bool
selection_init(struct selection *selection, const struct profile *profile,
               const struct options *options, struct mprof_error *error)
{
  memset(selection, 0, sizeof *selection);
  selection->profile = profile;
  selection->has_focus = options->focus != NULL;
  selection->by_allocations = options->focus != NULL ||
                              options->phases != 0 ||
                              options->samples != NULL;
  selection->hidden = array_zeroed(profile->function_count, sizeof(bool));
  selection->kept = array_zeroed(profile->sample_count, sizeof(bool));
  selection->calls_kept = array_zeroed(profile->sample_count, sizeof(bool));
  selection->lengths = array_zeroed(profile->sample_count, sizeof(size_t));
  struct choice choice = {
      .phases = options->phases != 0 ? options->phases : ~0u,
      .focused = array_zeroed(profile->function_count, sizeof(bool)),
      .ignored = array_zeroed(profile->function_count, sizeof(bool)),
      .of_threads = array_zeroed(profile->thread_count, sizeof(bool)),
      .chosen = options->samples == NULL
                    ? NULL
                    : array_zeroed(profile->sample_count, sizeof(bool)),
  };
  bool good = false;
  if (selection->hidden == NULL || selection->kept == NULL ||
      selection->calls_kept == NULL || selection->lengths == NULL ||
      choice.focused == NULL || choice.ignored == NULL ||
      choice.of_threads == NULL ||
      (options->samples != NULL && choice.chosen == NULL) ||
      !trace_chains(selection, options))
    mprof_error_memory(error);
  else
    good = match_options(selection, options, &choice, error);
  if (good) {
    hide_functions(selection, options);
    choose_samples(selection, &choice);
  }
  free(choice.focused);
  free(choice.ignored);
  free(choice.of_threads);
  free(choice.chosen);
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
