/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The commands that turn profiles into text or pictures. */

#include "command/command.h"

#include "base/filter_program.h"
#include "base/output_file.h"
#include "base/progress.h"
#include "diff/diff.h"
#include "export/export.h"
#include "command/load.h"
#include "tables/output.h"
#include "tables/report.h"

#include <stdlib.h>
#include <string.h>

/* Writes WHAT to a sink; its own failure is in ERROR. */
typedef bool writer(const void *what, struct sink *sink,
                    struct mprof_error *error);

/* Tells SINK what OPTIONS say of its looks; for the rest it knows best. */
static void
set_looks(const struct options *options, struct sink *sink)
{
  sink->human = options->human;
  if (options->view.width != WIDTH_AUTOMATIC)
    sink->line_width = options->view.width;
  if (options->color != COLOR_AUTOMATIC)
    sink->color = options->color == COLOR_ALWAYS;
}

/* Lets WRITE write WHAT to where OPTIONS say. */
static bool
write_output(const struct options *options, struct sink *sink, writer *write,
             const void *what, struct mprof_error *error)
{
  struct output_file file;
  progress_tell(options->progress, "writing", 0, 0);
  if (options->output == NULL) {
    set_looks(options, sink);
    return write(what, sink, error);
  }
  if (!output_file_open(&file, options->output, error))
    return false;
  set_looks(options, &file.sink);
  return output_file_close(&file, write(what, &file.sink, error), error);
}

typedef void emitter(const struct reduction *, struct sink *);

/* A reduction and how to write it. */
struct emission {
  const struct options *options;
  const struct reduction *reduction;
  emitter *emit;
};

static bool
emit_reduction(const void *what, struct sink *sink, struct mprof_error *error)
{
  const struct emission *emission = what;
  (void)error;
  emission->emit(emission->reduction, sink);
  return true;
}

/* Reduces the profile that OPTIONS are about, one that is open or the files
 * that they name, and lets WRITE write it by EMIT. */
static bool
run_reduction(const struct options *options, struct sink *sink,
              writer *write, emitter *emit, struct mprof_error *error)
{
  struct profile read = {0};
  struct reduction reduction = {0};
  const struct emission emission = {options, &reduction, emit};
  bool open = options->open != NULL;
  bool good =
      (open || profile_load(&read, options->files, options->file_count,
                            options->progress, error)) &&
      reduction_init(&reduction, open ? options->open->profile : &read,
                     &options->view, options->progress, error) &&
      write_output(options, sink, write, &emission, error);
  reduction_release(&reduction);
  profile_release(&read);
  return good;
}

bool
run_report(const struct options *options, struct sink *sink,
           struct outcome *outcome)
{
  return run_reduction(options, sink, emit_reduction, report_write,
                       &outcome->error);
}

bool
run_export(const struct options *options, struct sink *sink,
           struct outcome *outcome)
{
  return run_reduction(options, sink, emit_reduction, options->format->emit,
                       &outcome->error);
}

/* A picture, unless the file to write is another format: a page. */
bool
run_flamegraph(const struct options *options, struct sink *sink,
               struct outcome *outcome)
{
  return run_reduction(options, sink, emit_reduction,
                       options->format == NULL ? export_svg
                                               : options->format->emit,
                       &outcome->error);
}

/* The option of dot for the kind of picture that the file PATH is. */
static const char *
picture_option(const char *path)
{
  const char *ending = path == NULL ? NULL : strrchr(path, '.');
  if (ending != NULL && strcmp(ending, ".png") == 0)
    return "-Tpng";
  return ending != NULL && strcmp(ending, ".pdf") == 0 ? "-Tpdf" : "-Tsvg";
}

/* Writes the reduction in dot's language and lets dot draw it. */
static bool
draw(const void *what, struct sink *sink, struct mprof_error *error)
{
  const struct emission *emission = what;
  const char *const arguments[] = {
      "dot", picture_option(emission->options->output), NULL};
  struct sink_string text = {0};
  struct sink dot;
  sink_init(&dot, sink_write_string, &text);
  emission->emit(emission->reduction, &dot);
  bool good =
      sink_flush(&dot)
          ? filter_program(arguments, text.text, text.length,
                           "drawing needs Graphviz; install the package "
                           "graphviz, which has the program dot",
                           sink, error)
          : mprof_error_memory(error);
  free(text.text);
  return good;
}

bool
run_graph(const struct options *options, struct sink *sink,
          struct outcome *outcome)
{
  return run_reduction(options, sink, draw, export_dot, &outcome->error);
}

static bool
emit_diff(const void *what, struct sink *sink, struct mprof_error *error)
{
  (void)error;
  diff_write(what, sink);
  return true;
}

/* The tables, whatever they say; then whether growth is within the limits. */
bool
run_diff(const struct options *options, struct sink *sink,
         struct outcome *outcome)
{
  struct profile profiles[DIFF_SIDES];
  struct diff diff;
  struct mprof_error *error = &outcome->error;
  bool good = true;
  memset(profiles, 0, sizeof profiles);
  memset(&diff, 0, sizeof diff);
  for (int side = 0; good && side < DIFF_SIDES; side++)
    good = profile_load_joined(&profiles[side], options->files[side],
                               options->progress, error);
  good = good &&
         diff_init(&diff, profiles, &options->view, &options->diff,
                   options->progress, error) &&
              write_output(options, sink, emit_diff, &diff, error) &&
              diff_check_growth(&diff, outcome->remark, error);
  diff_release(&diff);
  for (int side = 0; side < DIFF_SIDES; side++)
    profile_release(&profiles[side]);
  if (outcome->remark[0] != '\0')
    outcome->status = 3;
  return good;
}
