/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The table of outputs, and the stages that come before any of them. */

#include "output.h"

#include "profile_reader.h"

#include <string.h>

const struct output report_tables[] = {
    {"leaks", "memory that was never freed (C)", report_leaks},
    {"phases", "allocation by phase: compile, load, eval, run",
     report_phases},
    {"threads", "allocation by thread", report_threads},
    {"direct", "what each function itself allocated", report_direct},
    {"types", "allocation by Lisp type and class", report_types},
    {"type-functions", "for each type the functions that allocate it",
     report_functions_of_types},
    {"function-types", "for each function what it allocates",
     report_types_of_functions},
    {"graph", "callers and callees of each function", report_graph},
    {"bins", "allocation by size of object", report_bins},
    {"reconciliation", "the count against the collector's own",
     report_reconciliation},
    {NULL, NULL, NULL},
};

const struct output export_formats[] = {
    {"folded", "one line a chain, for flame graphs", export_folded},
    {"lisp", "one expression that a Lisp reader reads", export_lisp},
    {NULL, NULL, NULL},
};

const struct output *
output_find(const struct output *outputs, const char *name, size_t length)
{
  for (; outputs->name != NULL; outputs++)
    if (strlen(outputs->name) == length &&
        memcmp(outputs->name, name, length) == 0)
      return outputs;
  return NULL;
}

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
