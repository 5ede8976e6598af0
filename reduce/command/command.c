/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Options, then the command that they name; and how failures become exit
 * statuses.
 */

#include "command/command.h"

#include "command/command_table.h"
#include "command/help.h"
#include "mprof.h"

#include <string.h>

static int
status_of(const struct mprof_error *error)
{
  switch (error->code) {
  case MPROF_OK:
    return 0;
  case MPROF_USAGE:
    return 2;
  case MPROF_GREW:
    return 3;
  case MPROF_PROGRAM:
    return error->exit_status;
  default:
    return 1;
  }
}

/* Flushes SINK; a failure counts more than what was found. */
static void
finish(struct sink *sink, const char *target, struct mprof_error *error)
{
  if (sink_flush(sink))
    return;
  mprof_error_clear(error);
  mprof_error_set(error, MPROF_CANNOT_WRITE, MPROF_NO_OFFSET,
                  "cannot write %s: %s", target,
                  strerror(sink->error_number));
}

int
command_run(int count, const char *const *arguments,
            const struct open_profile *open, struct sink *sink,
            const char *target, enum command *command,
            struct mprof_error *error)
{
  struct options options;
  bool good = options_parse(&options, count, arguments, open, error);
  options.progress = sink->progress;
  *command = options.command;
  if (good && options.command == COMMAND_VERSION)
    sink_format(sink, "mprof %s\n", mprof_version());
  else if (good && options.command == COMMAND_HELP)
    help_write(options.topic, sink);
  else if (good)
    good = command_row(options.command)->run(&options, sink, error);
  options_release(&options);
  if (good || error->code == MPROF_GREW)
    finish(sink, target, error);
  return status_of(error);
}
