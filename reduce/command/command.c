/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Options, reduction, output: the order of things, and how failures become
 * exit statuses.
 */

#include "command/command.h"

#include "io/output_file.h"
#include "mprof.h"
#include "output.h"
#include "report/report.h"

#include <string.h>

static int
status_of(const struct mprof_error *error)
{
  return error->code == MPROF_OK ? 0 : error->code == MPROF_USAGE ? 2 : 1;
}

/* Writes what OPTIONS ask for to SINK. */
static void
write_output(const struct reduction *reduction, struct sink *sink)
{
  if (reduction->options->command == COMMAND_EXPORT)
    reduction->options->format->emit(reduction, sink);
  else
    report_write(reduction, sink);
}

static bool
reduce(const struct options *options, struct sink *sink,
       struct mprof_error *error)
{
  struct reduction reduction;
  struct output_file file;
  bool good = reduction_init(&reduction, options, error);
  if (good && options->output == NULL) {
    write_output(&reduction, sink);
  } else if (good) {
    good = output_file_open(&file, options->output, error);
    if (good) {
      write_output(&reduction, &file.sink);
      good = output_file_close(&file, true, error);
    }
  }
  reduction_release(&reduction);
  return good;
}

int
command_run(int count, const char *const *arguments, struct sink *sink,
            const char *target, enum command *command,
            struct mprof_error *error)
{
  struct options options;
  bool good = options_parse(&options, count, arguments, error);
  *command = options.command;
  if (good && options.command == COMMAND_VERSION)
    sink_format(sink, "mprof %s\n", mprof_version());
  else if (good && options.command == COMMAND_HELP)
    options_help(options.topic, sink);
  else if (good)
    good = reduce(&options, sink, error);
  options_release(&options);
  if (good && !sink_flush(sink))
    mprof_error_set(error, MPROF_CANNOT_WRITE, MPROF_NO_OFFSET,
                    "cannot write %s: %s", target,
                    strerror(sink->error_number));
  return status_of(error);
}
