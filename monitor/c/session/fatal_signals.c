/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * fatal_signals.c -- signals that end a program, and the one that
 * MPROF_SIGNAL names.
 *
 * If a search for leaks was requested, signals that the program leaves to the
 * system are handled: the search is run, and the signal is sent again.  The
 * program does not see it: where it asks, it is told of the default action,
 * and when it sets that again, it gets this handler.
 *
 * What it does not do: a handler of the program with SA_RESETHAND is followed
 * by the kernel's own default, without a search. */
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "c/count/monitor.h"
#include "c/environment.h"
#include "c/interpose/real_allocator.h"
#include "c/session/session.h"

/* Signals whose default action ends a program, and is expected to. */
static const int fatal_signals[] = {
    SIGSEGV, SIGBUS,  SIGFPE,  SIGILL,    SIGABRT, SIGTRAP, SIGSYS,
    SIGTERM, SIGINT,  SIGHUP,  SIGQUIT,   SIGXCPU, SIGXFSZ, SIGALRM,
    SIGUSR1, SIGUSR2, SIGPIPE, SIGVTALRM, SIGPROF};

/* ---- handlers ---- */

static int
real_sigaction(int number, const struct sigaction *action,
               struct sigaction *old)
{
  return BEHIND(sigaction)(number, action, old);
}

static const struct sigaction by_default = {.sa_handler = SIG_DFL};

static void
handle_fatal_signal(int number)
{
  leak_search_run();
  real_sigaction(number, &by_default, NULL);
  raise(number);
}

static void
toggle(int number)
{
  (void)number;
  if (own_process_known())
    monitor_count(!monitor_is_counting());
}

static const struct sigaction ours = {.sa_handler = handle_fatal_signal,
                                      .sa_flags = SA_ONSTACK};

/* ---- what the program does with signals ---- */

static bool
is_fatal_signal(int number)
{
  if (session.leak_reader == 0 || real_allocator_bypassed())
    return false;
  for (size_t i = 0; i < sizeof fatal_signals / sizeof *fatal_signals; i++)
    if (fatal_signals[i] == number)
      return true;
  return false;
}

EXPORT int
sigaction(int number, const struct sigaction *action, struct sigaction *old)
{
  if (action != NULL && action->sa_handler == SIG_DFL &&
      is_fatal_signal(number))
    action = &ours;
  int status = real_sigaction(number, action, old);
  if (status == 0 && old != NULL && old->sa_handler == handle_fatal_signal)
    *old = by_default;
  return status;
}

/* `name' is a function like signal. */
#define SIGNAL(name)                                                         \
  EXPORT sighandler_t name(int number, sighandler_t handler);                \
  EXPORT sighandler_t name(int number, sighandler_t handler)                 \
  {                                                                          \
    const sighandler_t old = BEHIND(name)(number, handler);                  \
    if (handler == SIG_DFL && old != SIG_ERR && is_fatal_signal(number))     \
      real_sigaction(number, &ours, NULL);                                   \
    return old == handle_fatal_signal ? SIG_DFL : old;                       \
  }

SIGNAL(signal)
SIGNAL(bsd_signal)
SIGNAL(ssignal)
SIGNAL(sysv_signal)
SIGNAL(__sysv_signal)

/* ---- begin ---- */

static int
signal_number(const char *name)
{
  if (strncmp(name, "SIG", 3) == 0)
    name += 3;
  for (int i = 1; i < SIGRTMIN; i++) {
    const char *known = sigabbrev_np(i);
    if (known != NULL && strcmp(known, name) == 0)
      return i;
  }
  return (int)strtol(name, NULL, 10);
}

void
fatal_signals_open(void)
{
  const char *name = environment_value("MPROF_SIGNAL");
  struct sigaction there;
  for (size_t i = 0; i < sizeof fatal_signals / sizeof *fatal_signals; i++)
    if (session.leak_reader != 0 &&
        real_sigaction(fatal_signals[i], NULL, &there) == 0 &&
        there.sa_handler == SIG_DFL)
      real_sigaction(fatal_signals[i], &ours, NULL);
  if (name != NULL && *name != '\0') {
    const struct sigaction action = {.sa_handler = toggle,
                                     .sa_flags = SA_RESTART};
    real_sigaction(signal_number(name), &action, NULL);
  }
}
