/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The commands that turn a reduction into text. */

#include "command/run.h"

#include "export/export.h"
#include "base/output_file.h"
#include "base/progress.h"
#include "load.h"
#include "output.h"
#include "tables/report.h"

#include <string.h>

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
run_emit(const struct options *options, struct sink *sink, run_emitter *emit,
         const void *what, struct mprof_error *error)
{
  struct output_file file;
  progress_tell(options->progress, "writing", 0, 0);
  if (options->output == NULL) {
    set_looks(options, sink);
    emit(what, sink);
    return true;
  }
  if (!output_file_open(&file, options->output, error))
    return false;
  set_looks(options, &file.sink);
  emit(what, &file.sink);
  return output_file_close(&file, true, error);
}

/* A reduction and how to write it. */
struct emission {
  const struct reduction *reduction;
  void (*emit)(const struct reduction *, struct sink *);
};

static void
emit_reduction(const void *what, struct sink *sink)
{
  const struct emission *emission = what;
  emission->emit(emission->reduction, sink);
}

const struct profile *
run_profile(const struct options *options, struct profile *profile,
            struct mprof_error *error)
{
  memset(profile, 0, sizeof *profile);
  if (options->open != NULL)
    return options->open->profile;
  return profile_load(profile, options->files, options->file_count,
                      options->progress, error)
             ? profile
             : NULL;
}

bool
run_reduction(const struct options *options, struct sink *sink,
              void (*emit)(const struct reduction *, struct sink *),
              struct mprof_error *error)
{
  struct profile profile;
  struct reduction reduction = {0};
  struct emission emission = {&reduction, emit};
  const struct profile *chosen = run_profile(options, &profile, error);
  bool good = chosen != NULL &&
              reduction_init(&reduction, chosen, options, error) &&
              run_emit(options, sink, emit_reduction, &emission, error);
  reduction_release(&reduction);
  profile_release(&profile);
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
