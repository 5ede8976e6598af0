/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The command mprof: hands its arguments to the library, prints what comes
 * back, and turns the outcome into an exit status.  It alone knows whether
 * what it prints goes to a terminal.
 */

#include "command/command.h"
#include "command/help.h"
#include "command/terminal_progress.h"
#include "mprof.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

/* Fits SINK to the terminal that DESCRIPTOR is, if it is one. */
static void
fit_to_terminal(struct sink *sink, int descriptor)
{
  const char *no_color = getenv("NO_COLOR");
  const char *terminal = getenv("TERM");
  if (mprof_terminal_width(descriptor) < 0)
    return;
  sink->line_width = (size_t)mprof_terminal_width(descriptor);
  sink->color = (no_color == NULL || *no_color == '\0') && terminal != NULL &&
                strcmp(terminal, "dumb") != 0;
}

/* As sink_write_descriptor; what it writes may stand where progress does. */
static int
write_output(void *target, const char *bytes, size_t length)
{
  terminal_progress_stop();
  return sink_write_descriptor(target, bytes, length);
}

/* End by that signal, as the program did: who waits for this process then
 * sees what it would have seen (a shell leaves a loop after Ctrl-C).  There
 * is nothing here to write a core of. */
static void
end_by_signal(int number)
{
  const struct rlimit none = {0, 0};
  sigset_t set;
  setrlimit(RLIMIT_CORE, &none);
  signal(number, SIG_DFL);
  sigemptyset(&set);
  sigaddset(&set, number);
  sigprocmask(SIG_UNBLOCK, &set, NULL);
  raise(number);
}

int
main(int argc, char **argv)
{
  struct mprof_error error;
  struct sink sink;
  enum command command = COMMAND_NONE;
  int descriptor = STDOUT_FILENO;
  if (argc < 2 || strcmp(argv[1], "run") != 0) /* whose program inherits it */
    signal(SIGPIPE, SIG_IGN); /* a closed pipe is an error like any other */
  mprof_error_clear(&error);
  sink_init(&sink, write_output, &descriptor);
  sink.progress = terminal_progress_start();
  fit_to_terminal(&sink, descriptor);
  int status = command_run(argc - 1, (const char *const *)(argv + 1), NULL,
                           &sink, "standard output", &command, &error);
  terminal_progress_stop();
  if ((status == 0 || status == 3) && close(descriptor) != 0 &&
      errno != EBADF) {
    mprof_error_clear(&error);
    mprof_error_set(&error, MPROF_CANNOT_WRITE, MPROF_NO_OFFSET,
                    "cannot write standard output: %s", strerror(errno));
    status = 1;
  }
  if (error.message[0] != '\0')
    fprintf(stderr, "mprof: %s\n", error.message);
  if (error.code == MPROF_USAGE) {
    descriptor = STDERR_FILENO;
    sink_init(&sink, sink_write_descriptor, &descriptor);
    sink_text(&sink, "usage: ");
    help_usage(command, &sink);
    sink_text(&sink, " (see 'mprof help')\n");
    sink_flush(&sink);
  }
  if (error.code == MPROF_PROGRAM && error.signal != 0)
    end_by_signal(error.signal);
  return status;
}
