/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The command mprof: hands its arguments to the library, prints what comes
 * back, and turns the outcome into an exit status.  It alone knows whether
 * what it prints goes to a terminal.
 *
 * There, one line on standard error shows progress, from the time on that a
 * command has taken two seconds, written anew four times a second, and
 * removed when the work ends or output begins.  A timer looks at what the
 * library tells (base/progress.h), so that a long step that tells nothing is
 * seen to be under way all the same.  Its signal is one that does nothing by
 * default, so that nobody's alarm is lost.  mprof run and mprof top, which
 * last as long as a program, have no such line.
 */

#include "base/pool.h"
#include "command/command.h"
#include "mprof.h"

#include <errno.h>
#include <fcntl.h>
#include <malloc.h>
#include <signal.h>
#include <stdio.h>
#include <sys/resource.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

enum {
  PROGRESS_SIGNAL = SIGURG,
  FIRST_SECONDS = 2,
  AGAIN_NANOSECONDS = 250000000,
  MAPPED_BYTES = 1 << 17,
  LINE_BYTES = 80
};

static struct progress now;
static volatile sig_atomic_t drawn; /* columns of the line that is there */
static timer_t timer;
static bool timer_runs;

static void
write_line(const char *line, size_t length)
{
  ssize_t ignored = write(STDERR_FILENO, line, length);
  (void)ignored;
}

/* Removes the line by blanks, which works on any terminal. */
static void
remove_line(void)
{
  char line[LINE_BYTES];
  size_t columns = (size_t)drawn;
  if (columns == 0)
    return;
  memset(line, ' ', sizeof line);
  line[0] = line[columns + 1] = '\r';
  write_line(line, columns + 2);
  drawn = 0;
}

/* Draws the line, in the handler of PROGRESS_SIGNAL, by nothing but atomics
 * and write.  Draws nothing in the background, where the terminal could stop
 * this process for it. */
static void
draw_line(int signal_number)
{
  int saved = errno;
  char line[LINE_BYTES];
  const char *what = atomic_load_explicit(&now.what, memory_order_relaxed);
  uint64_t done = atomic_load_explicit(&now.done, memory_order_relaxed);
  uint64_t whole = atomic_load_explicit(&now.whole, memory_order_relaxed);
  (void)signal_number;
  if (what != NULL && tcgetpgrp(STDERR_FILENO) == getpgrp()) {
    char *end = stpcpy(stpcpy(line, "mprof: "), what);
    if (whole != 0 && done <= whole) {
      int percent = (int)((double)done / (double)whole * 100);
      *end++ = ' ';
      if (percent == 100)
        *end++ = '1';
      if (percent >= 10)
        *end++ = (char)('0' + percent / 10 % 10);
      *end++ = (char)('0' + percent % 10);
      end = stpcpy(end, " %");
    }
    remove_line();
    write_line(line, (size_t)(end - line));
    drawn = (sig_atomic_t)(end - line);
  }
  errno = saved;
}

/* Starts to show progress if standard error is a terminal.  Returns what to
 * tell then, or NULL.  Calls that the signal interrupts are restarted. */
static struct progress *
start_progress(void)
{
  struct sigaction action = {.sa_handler = draw_line, .sa_flags = SA_RESTART};
  struct sigevent event = {.sigev_notify = SIGEV_SIGNAL,
                           .sigev_signo = PROGRESS_SIGNAL};
  const struct itimerspec times = {.it_value = {FIRST_SECONDS, 0},
                                   .it_interval = {0, AGAIN_NANOSECONDS}};
  timer_runs = isatty(STDERR_FILENO) != 0 &&
               sigaction(PROGRESS_SIGNAL, &action, NULL) == 0 &&
               timer_create(CLOCK_MONOTONIC, &event, &timer) == 0 &&
               timer_settime(timer, 0, &times, NULL) == 0;
  return timer_runs ? &now : NULL;
}

/* Removes the line and shows no further progress.  May be called again. */
static void
stop_progress(void)
{
  if (!timer_runs)
    return;
  timer_runs = false;
  timer_delete(timer);
  signal(PROGRESS_SIGNAL, SIG_IGN);
  remove_line();
}

/* Fits SINK to the terminal that DESCRIPTOR is, if it is one. */
static void
fit_to_terminal(struct sink *sink, int descriptor)
{
  const char *no_color = getenv("NO_COLOR");
  const char *terminal = getenv("TERM");
  if (mprof_terminal_width(descriptor) < 0)
    return;
  sink->is_terminal = true;
  sink->line_width = (size_t)mprof_terminal_width(descriptor);
  sink->color = (no_color == NULL || *no_color == '\0') && terminal != NULL &&
                strcmp(terminal, "dumb") != 0;
}

/* Writes as sink_write_descriptor does, where progress may stand. */
static int
write_output(void *target, const char *bytes, size_t length)
{
  stop_progress();
  return sink_write_descriptor(target, bytes, length);
}

/* Gives the signal NUMBER its default action, unblocked, whatever this
 * process was started with. */
static void
take_signal(int number)
{
  sigset_t set;
  signal(number, SIG_DFL);
  sigemptyset(&set);
  sigaddset(&set, number);
  sigprocmask(SIG_UNBLOCK, &set, NULL);
}

/* Ends this process by the signal NUMBER, as the program ended: who waits for
 * this process then sees what it would have seen (a shell leaves a loop after
 * Ctrl-C).  There is nothing here to write a core of. */
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

/* Puts a descriptor that can be neither read nor written in the place of each
 * standard stream that is closed, or the next file that is opened would take
 * it.  A program that is executed finds them closed. */
static void
keep_closed_streams(void)
{
  for (int stream = STDIN_FILENO; stream <= STDERR_FILENO; stream++)
    if (fcntl(stream, F_GETFD) < 0 && open("/", O_PATH | O_CLOEXEC) < 0)
      return;
}

static struct sink sink;
static struct outcome outcome;
static const char *const *arguments;
static int argument_count;

static void
run_command(void)
{
  command_run(argument_count, arguments, NULL, &sink, "standard output",
              &outcome);
}

#ifdef __SANITIZE_ADDRESS__ /* which knows of no other stack */
#define HAS_STACKS false
#else
#define HAS_STACKS true
#endif

/* Calls run_command, with a stack of STACK_BYTES if `ulimit -s' leaves less
 * than that: libdw takes 170 kB. */
static void
run_with_stack(void)
{
  enum { STACK_BYTES = 1 << 20 };
  struct rlimit limit;
  ucontext_t here, there;
  const bool enough = !HAS_STACKS || getrlimit(RLIMIT_STACK, &limit) != 0 ||
                      limit.rlim_cur >= STACK_BYTES;
  char *const stack = enough ? NULL : malloc(STACK_BYTES);
  if (stack == NULL || getcontext(&there) != 0) {
    run_command();
    return;
  }
  there.uc_stack.ss_sp = stack;
  there.uc_stack.ss_size = STACK_BYTES;
  there.uc_link = &here;
  makecontext(&there, run_command, 0);
  swapcontext(&here, &there);
  free(stack);
}

int
main(int argc, char **argv)
{
  int descriptor = STDOUT_FILENO;
  const enum command command =
      argc < 2 ? COMMAND_NONE : command_find(argv[1]);
  argument_count = argc - 1;
  arguments = (const char *const *)(argv + 1);
#ifdef M_MMAP_THRESHOLD /* large arrays grow without being copied */
  mallopt(M_MMAP_THRESHOLD, MAPPED_BYTES);
#endif
  keep_closed_streams();
  if (command != COMMAND_RUN) { /* whose program is to inherit them */
    take_signal(SIGPIPE); /* a reader that reads no further ends this quietly,
                             as it ends other filters */
    take_signal(SIGCHLD); /* the end of a child can be waited for */
  }
  sink_init(&sink, write_output, &descriptor);
  if (command != COMMAND_RUN && command != COMMAND_TOP)
    progress_listener = start_progress();
  fit_to_terminal(&sink, descriptor);
  run_with_stack();
  stop_progress();
  if (outcome.error.code == MPROF_OK && close(descriptor) != 0)
    outcome_cannot_write(&outcome, "standard output", errno);
  if (outcome_line(&outcome)[0] != '\0')
    mprof_say("%s", outcome_line(&outcome));
  if (outcome.error.code == MPROF_USAGE)
    write_usage(outcome.command);
  if (outcome.signal != 0)
    end_by_signal(outcome.signal);
  return outcome.status;
}
