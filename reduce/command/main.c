/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The command mprof: hands its arguments to the library, prints what comes
 * back, and turns the outcome into an exit status.
 */

#include "command/command.h"
#include "command/help.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

int
main(int argc, char **argv)
{
  struct mprof_error error;
  struct sink sink;
  enum command command = COMMAND_NONE;
  int descriptor = STDOUT_FILENO;
  signal(SIGPIPE, SIG_IGN); /* a closed pipe is an error like any other */
  mprof_error_clear(&error);
  sink_init(&sink, sink_write_descriptor, &descriptor);
  int status = command_run(argc - 1, (const char *const *)(argv + 1), &sink,
                           "standard output", &command, &error);
  if (status == 0 && close(descriptor) != 0 && errno != EBADF) {
    mprof_error_set(&error, MPROF_CANNOT_WRITE, MPROF_NO_OFFSET,
                    "cannot write standard output: %s", strerror(errno));
    status = 1;
  }
  if (status != 0)
    fprintf(stderr, "mprof: %s\n", error.message);
  if (status == 2) {
    descriptor = STDERR_FILENO;
    sink_init(&sink, sink_write_descriptor, &descriptor);
    sink_text(&sink, "usage: ");
    help_usage(command, &sink);
    sink_text(&sink, " (see 'mprof help')\n");
    sink_flush(&sink);
  }
  return status;
}
