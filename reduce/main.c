/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The command mprof: hands its arguments to the library, prints what comes
 * back, and turns the outcome into an exit status.  It alone knows whether
 * what it prints goes to a terminal.
 */

#include "command/command.h"
#include "mprof.h"
#include "terminal_progress.h"

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

/* Lets the signal NUMBER do what it does, whatever this process was started
 * with. */
static void
take_signal(int number)
{
  sigset_t set;
  signal(number, SIG_DFL);
  sigemptyset(&set);
  sigaddset(&set, number);
  sigprocmask(SIG_UNBLOCK, &set, NULL);
}

/* End by that signal, as the program did: who waits for this process then
 * sees what it would have seen (a shell leaves a loop after Ctrl-C).  There
 * is nothing here to write a core of. */
static void
end_by_signal(int number)
{
  const struct rlimit none = {0, 0};
  setrlimit(RLIMIT_CORE, &none);
  take_signal(number);
  raise(number);
}

/* Writes the usage of COMMAND to standard error. */
static void
write_usage(enum command command)
{
  int descriptor = STDERR_FILENO;
  struct sink sink;
  sink_init(&sink, sink_write_descriptor, &descriptor);
  sink_text(&sink, "usage: ");
  help_usage(command, &sink);
  sink_text(&sink, " (see 'mprof help')\n");
  sink_flush(&sink);
}

int
main(int argc, char **argv)
{
  static struct outcome outcome;
  struct sink sink;
  int descriptor = STDOUT_FILENO;
  /* Who reads no further ends this quietly, as other filters; "run" leaves
   * what the program is to inherit. */
  if (argc < 2 || strcmp(argv[1], "run") != 0)
    take_signal(SIGPIPE);
  sink_init(&sink, write_output, &descriptor);
  sink.progress = terminal_progress_start();
  fit_to_terminal(&sink, descriptor);
  command_run(argc - 1, (const char *const *)(argv + 1), NULL, &sink,
              "standard output", &outcome);
  terminal_progress_stop();
  if (outcome.error.code == MPROF_OK && close(descriptor) != 0 &&
      errno != EBADF)
    outcome_cannot_write(&outcome, "standard output", errno);
  if (outcome_line(&outcome)[0] != '\0')
    fprintf(stderr, "mprof: %s\n", outcome_line(&outcome));
  if (outcome.error.code == MPROF_USAGE)
    write_usage(outcome.command);
  if (outcome.signal != 0)
    end_by_signal(outcome.signal);
  return outcome.status;
}
