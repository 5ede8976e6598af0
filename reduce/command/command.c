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
  return error->code == MPROF_OK ? 0 : error->code == MPROF_USAGE ? 2 : 1;
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
    help_write(options.topic, sink);
  else if (good)
    good = command_row(options.command)->run(&options, sink, error);
  options_release(&options);
  if (good && !sink_flush(sink))
    mprof_error_set(error, MPROF_CANNOT_WRITE, MPROF_NO_OFFSET,
                    "cannot write %s: %s", target,
                    strerror(sink->error_number));
  return status_of(error);
}
