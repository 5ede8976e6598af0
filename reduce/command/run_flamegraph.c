/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* mprof flamegraph: a picture, or the page when the file to write is one. */

#include "command/run.h"
#include "export/export.h"
#include "output.h"

bool
run_flamegraph(const struct options *options, struct sink *sink,
               struct mprof_error *error)
{
  const struct output *format =
      options->output == NULL
          ? NULL
          : output_for_file(export_formats, options->output);
  bool flames = format != NULL && format->flames;
  return run_reduction(options, sink, flames ? format->emit : export_svg,
                       error);
}
