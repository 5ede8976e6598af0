/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Each expression is matched once for each function, not for each frame;
 * the pass over the samples then looks at booleans.  Linear in functions
 * plus frames.
 */

#include "selection.h"

#include "array.h"
#include "session_root.h"
#include "system_functions.h"

#include <regex.h>
#include <string.h>

/* Sets MATCHES[f] for each function f that EXPRESSION matches. */
static bool
match_functions(const struct profile *profile, const char *expression,
                const char *option, bool *matches, struct mprof_error *error)
{
  regex_t regex;
  int status = regcomp(&regex, expression, REG_EXTENDED | REG_NOSUB);
  if (status == REG_ESPACE)
    return mprof_error_memory(error);
  if (status != 0) {
    char reason[128];
    regerror(status, &regex, reason, sizeof reason);
    return mprof_error_set(error, MPROF_USAGE, MPROF_NO_OFFSET,
                           "--%s: '%s' is no regular expression: %s", option,
                           expression, reason);
  }
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

/* Decides on each sample; FOCUSED and IGNORED are by function. */
static void
choose_samples(struct selection *selection, const bool *focused,
               const bool *ignored)
{
  const struct profile *profile = selection->profile;
  for (size_t i = 0; i < profile->sample_count; i++) {
    const struct profile_sample *sample = &profile->samples[i];
    bool allocates = sample->allocs != 0 || sample->bytes != 0;
    bool kept = !chain_has(selection, sample, ignored) &&
                (!selection->has_focus || !allocates ||
                 chain_has(selection, sample, focused));
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
                      names_text(&profile->names, function->name)))
      selection->hidden[i] = true;
  }
}

bool
selection_init(struct selection *selection, const struct profile *profile,
               const struct options *options, struct mprof_error *error)
{
  memset(selection, 0, sizeof *selection);
  selection->profile = profile;
  selection->has_focus = options->focus != NULL;
  selection->hidden = array_zeroed(profile->function_count, sizeof(bool));
  selection->kept = array_zeroed(profile->sample_count, sizeof(bool));
  selection->lengths = array_zeroed(profile->sample_count, sizeof(size_t));
  bool *focused = array_zeroed(profile->function_count, sizeof(bool));
  bool *ignored = array_zeroed(profile->function_count, sizeof(bool));
  bool good = false;
  if (selection->hidden == NULL || selection->kept == NULL ||
      selection->lengths == NULL || focused == NULL || ignored == NULL ||
      !session_root_cut(profile, options->show_root || options->show_runtime,
                        selection->lengths))
    mprof_error_memory(error);
  else
    good =
        (options->focus == NULL ||
         match_functions(profile, options->focus, "focus", focused, error)) &&
        (options->ignore == NULL ||
         match_functions(profile, options->ignore, "ignore", ignored,
                         error)) &&
        (options->hide == NULL ||
         match_functions(profile, options->hide, "hide", selection->hidden,
                         error));
  if (good) {
    hide_functions(selection, options);
    choose_samples(selection, focused, ignored);
  }
  free(focused);
  free(ignored);
  return good;
}

void
selection_release(struct selection *selection)
{
  free(selection->hidden);
  free(selection->kept);
  free(selection->lengths);
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
