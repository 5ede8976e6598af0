/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Blocks signals, waits for them, and passes on those that are for the
 * program; a signal's si_code tells who sent it. */

#include "command/run_program.h"

#include "command/run_files.h"

#include <errno.h>
#include <poll.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { STOPPED_MILLISECONDS = 50 }; /* from one look to the next */

void
run_signals_block(sigset_t *before)
{
  sigset_t all;
  sigfillset(&all);
  pthread_sigmask(SIG_BLOCK, &all, before);
}

/* Makes SET that of all signals but the one that another thread waits for. */
static void
fill(sigset_t *set)
{
  sigfillset(set);
  sigdelset(set, RUN_FILES_SIGNAL);
}

void
run_signals_stop(int number)
{
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, number);
  raise(number); /* with the terminal's, if that is pending, it is one stop */
  pthread_sigmask(SIG_UNBLOCK, &set, NULL);
  pthread_sigmask(SIG_BLOCK, &set, NULL);
}

/* Continues the process OWN, the parent of this one, when CHILD goes on or
 * ends.  Returns when OWN has ended. */
static void
watch_stopped(pid_t child, pid_t own)
{
  const int process = (int)syscall(SYS_pidfd_open, child, 0);
  struct pollfd end = {.fd = process, .events = POLLIN};
  while (getppid() == own) {
    const bool has_ended = poll(&end, 1, STOPPED_MILLISECONDS) > 0;
    const char state = process_state((size_t)child);
    if (has_ended || state == 'R' || state == 'S' || state == 'D')
      kill(own, SIGCONT);
  }
}

/* Stops this process by the signal NUMBER until it is continued, or CHILD
 * goes on.  Another process sees that, as this one cannot. */
static void
stop_with(pid_t child, int number)
{
  const pid_t own = getpid();
  const pid_t watcher = fork();
  if (watcher == 0) {
    watch_stopped(child, own);
    _exit(0);
  }
  run_signals_stop(number);
  if (watcher > 0 && kill(watcher, SIGKILL) == 0)
    waitpid(watcher, NULL, 0);
}

/* Returns whether the kernel sent INFO's signal to all processes in front of
 * a terminal.  A terminal that vanishes sends SIGHUP and SIGCONT to the
 * leader of its session alone. */
static bool
is_of_terminal(const siginfo_t *info)
{
  const int number = info->si_signo;
  const bool to_leader = number == SIGHUP || number == SIGCONT;
  return info->si_code == SI_KERNEL &&
         (number == SIGINT || number == SIGQUIT || number == SIGTSTP ||
          number == SIGTTIN || number == SIGTTOU || number == SIGWINCH ||
          (to_leader && getsid(0) != getpid()));
}

/* Returns whether INFO's signal is about this process itself: a child, a
 * write to a pipe or a large file, or its own use of the processor. */
static bool
is_own(const siginfo_t *info)
{
  const int number = info->si_signo;
  const bool of_write = number == SIGPIPE || number == SIGXFSZ;
  return number == SIGCHLD ||
         (of_write && info->si_code == SI_USER && info->si_pid == getpid()) ||
         (number == SIGXCPU && info->si_code == SI_KERNEL);
}

int
run_signals_wait_child(pid_t child, bool serves)
{
  int status;
  bool is_stopped = false;
  bool was_stopped = false; /* this process, and SIGCONT is not seen yet */
  sigset_t set;
  fill(&set);
  for (;;) {
    siginfo_t info;
    pid_t changed = waitpid(child, &status, WNOHANG | WUNTRACED | WCONTINUED);
    if (changed < 0 && errno != EINTR)
      return 0;
    if (changed == child) {
      if (!WIFSTOPPED(status) && !WIFCONTINUED(status))
        return status;
      is_stopped = WIFSTOPPED(status);
      if (is_stopped && !(serves && WSTOPSIG(status) == SIGSTOP)) {
        was_stopped = true;
        stop_with(child, WSTOPSIG(status));
      }
      continue;
    }
    int number = sigwaitinfo(&set, &info);
    if (number == SIGCONT && was_stopped) {
      was_stopped = false; /* the whole job goes on, or only this */
      if (is_stopped)
        kill(child, SIGCONT);
    } else if (number > 0 && !is_own(&info) && !is_of_terminal(&info)) {
      kill(child, number);
    }
  }
}

/* Returns whether this process was started to ignore INFO's signal, and
 * nobody has sent it on purpose all the same. */
static bool
is_ignored(const siginfo_t *info)
{
  struct sigaction action;
  const bool purpose =
      info->si_code != SI_KERNEL &&
      (info->si_signo == SIGINT || info->si_signo == SIGQUIT);
  return sigaction(info->si_signo, NULL, &action) == 0 &&
         action.sa_handler == SIG_IGN && !purpose;
}

bool
run_signals_end(long nanoseconds)
{
  const struct timespec pause = {.tv_nsec = nanoseconds};
  sigset_t set;
  siginfo_t info;
  fill(&set);
  const int number = sigtimedwait(&set, &info, &pause);
  if (number <= 0 || is_own(&info) || is_ignored(&info))
    return false;
  const bool stops =
      number == SIGTSTP || number == SIGTTIN || number == SIGTTOU;
  if (stops)
    run_signals_stop(number);
  return !stops && number != SIGCONT && number != SIGWINCH;
}
