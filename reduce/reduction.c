/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Which stages there are and what each needs. */

#include "reduction.h"

#include "graph/grouping.h"
#include "profile/profile_reader.h"

#include <string.h>

bool
reduction_init(struct reduction *reduction, const struct options *options,
               struct mprof_error *error)
{
  static const char *const default_file = "mprof.data";
  memset(reduction, 0, sizeof *reduction);
  reduction->options = options;
  if (!profile_init(&reduction->profile))
    return mprof_error_memory(error);
  const char *const *files =
      options->file_count > 0 ? options->files : &default_file;
  size_t file_count = options->file_count > 0 ? options->file_count : 1;
  for (size_t i = 0; i < file_count; i++)
    if (!profile_reader_add(&reduction->profile, files[i],
                            &input_limits_default, error))
      return false;
  return selection_init(&reduction->selection, &reduction->profile, options,
                        error) &&
         (nameless_share_count(&reduction->nameless, &reduction->selection,
                               options->show_runtime) ||
          mprof_error_memory(error)) &&
         grouping_apply(&reduction->profile, &reduction->selection,
                        options->by, error) &&
         tally_init(&reduction->tally, &reduction->selection, error) &&
         call_graph_init(&reduction->graph, &reduction->selection, error) &&
         cycles_init(&reduction->cycles, &reduction->graph, error);
}

void
reduction_release(struct reduction *reduction)
{
  cycles_release(&reduction->cycles);
  call_graph_release(&reduction->graph);
  tally_release(&reduction->tally);
  selection_release(&reduction->selection);
  profile_release(&reduction->profile);
}
