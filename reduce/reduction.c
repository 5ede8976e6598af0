/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Which stages there are and what each needs. */

#include "reduction.h"

#include "graph/grouping.h"
#include "io/input_list.h"
#include "io/progress.h"
#include "profile/profile_reader.h"

#include <string.h>

/* Reads the files that OPTIONS name into PROFILE. */
static bool
read_files(struct profile *profile, const struct options *options,
           struct mprof_error *error)
{
  struct input_list named = {0};
  const struct input_list *list =
      options->open != NULL ? options->open->inputs : &named;
  bool good = list != &named || input_list_fill(&named, options->files,
                                                options->file_count, error);
  if (list->count == 1)
    profile->progress = options->progress;
  for (size_t i = 0; good && i < list->count; i++) {
    progress_tell(options->progress, "reading files", i, list->count);
    good = profile_reader_visit(profile, &list->files[i],
                                &input_limits_default, NULL, NULL, error);
  }
  input_list_release(&named);
  return good;
}

/* Lets the profile count what the options ask for. */
static bool
substitute(struct reduction *reduction, struct mprof_error *error)
{
  const struct options *options = reduction->options;
  if (!measure_known(&reduction->profile, options->value))
    return mprof_error_set(error, MPROF_BAD_PROFILE, MPROF_NO_OFFSET,
                           "--value=%s: the profile does not say what was %s",
                           measure_rows[options->value].word,
                           measure_rows[options->value].what);
  if (options->one_measure && measure_rows[options->value].what != NULL) {
    measure_substitute(&reduction->profile, options->value);
    reduction->counted = options->value;
  }
  return true;
}

/* Whether the calls of what OPTIONS choose are known: the monitors count them
 * for all regions, and that of C programs for all threads. */
static bool
calls_known(const struct profile *profile, const struct options *options)
{
  return options->region == NULL &&
         (options->thread == NULL || profile->language != LANGUAGE_C);
}

bool
reduction_init(struct reduction *reduction, const struct options *options,
               struct mprof_error *error)
{
  memset(reduction, 0, sizeof *reduction);
  reduction->options = options;
  if (!profile_init(&reduction->profile))
    return mprof_error_memory(error);
  if (!read_files(&reduction->profile, options, error))
    return false;
  if (!substitute(reduction, error))
    return false;
  if (!calls_known(&reduction->profile, options))
    reduction->profile.has_activations = false;
  progress_tell(options->progress, "selecting", 0, 0);
  if (!selection_init(&reduction->selection, &reduction->profile, options,
                      error))
    return false;
  if (!nameless_share_count(&reduction->nameless, &reduction->selection,
                            options->show_runtime))
    return mprof_error_memory(error);
  if (!grouping_apply(&reduction->profile, &reduction->selection, options->by,
                      error))
    return false;
  progress_tell(options->progress, "adding up", 0, 0);
  if (!tally_init(&reduction->tally, &reduction->selection, error))
    return false;
  if (!region_figures_init(&reduction->regions, &reduction->profile,
                           reduction->tally.regions))
    return mprof_error_memory(error);
  progress_tell(options->progress, "building the call graph", 0, 0);
  return call_graph_init(&reduction->graph, &reduction->selection, error) &&
         cycles_init(&reduction->cycles, &reduction->graph, error);
}

void
reduction_release(struct reduction *reduction)
{
  cycles_release(&reduction->cycles);
  call_graph_release(&reduction->graph);
  region_figures_release(&reduction->regions);
  tally_release(&reduction->tally);
  selection_release(&reduction->selection);
  profile_release(&reduction->profile);
}
