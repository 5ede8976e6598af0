/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The commands that turn a reduction into text. */

#include "command/run.h"

#include "io/output_file.h"
#include "output.h"
#include "report/report.h"

/* Tells SINK what OPTIONS say of its looks; for the rest it knows best. */
static void
set_looks(const struct options *options, struct sink *sink)
{
  if (options->width != WIDTH_AUTOMATIC)
    sink->line_width = options->width;
  if (options->color != COLOR_AUTOMATIC)
    sink->color = options->color == COLOR_ALWAYS;
}

bool
run_reduction(const struct options *options, struct sink *sink,
              void (*emit)(const struct reduction *, struct sink *),
              struct mprof_error *error)
{
  struct reduction reduction;
  struct output_file file;
  bool good = reduction_init(&reduction, options, error);
  if (good && options->output == NULL) {
    set_looks(options, sink);
    emit(&reduction, sink);
  } else if (good) {
    good = output_file_open(&file, options->output, error);
    if (good) {
      set_looks(options, &file.sink);
      emit(&reduction, &file.sink);
      good = output_file_close(&file, true, error);
    }
  }
  reduction_release(&reduction);
  return good;
}

bool
run_report(const struct options *options, struct sink *sink,
           struct mprof_error *error)
{
  return run_reduction(options, sink, report_write, error);
}

bool
run_export(const struct options *options, struct sink *sink,
           struct mprof_error *error)
{
  return run_reduction(options, sink, options->format->emit, error);
}
