/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * signals.h -- keeps handlers of signals, and cancellation, away from the few
 * parts of the monitor that a jump must not leave: those that have a lock of
 * the dynamic linker's, open a file, or change what is in several places.
 * They run once for a thread, a file of code or a step in which memory grows.
 *
 * Signals that an instruction causes are not blocked: the kernel would end
 * the program.  Once the monitor makes no more system calls (arenas_seal), no
 * signal is blocked.
 */
#pragma once

#include <pthread.h>
#include <signal.h>
#include <stdbool.h>

#include "image/arena.h"

struct signals_held {
  sigset_t before; /* signal mask to be restored */
  int cancel;      /* cancellation state to be restored */
  bool held;       /* false: nothing was blocked, nor is to be restored */
};

/* Blocks signals and cancellation in this thread until signals_let_go, which
 * takes the same SIGNALS.  Does nothing after arenas_seal. */
static inline void
signals_hold(struct signals_held *signals)
{
  static const int caused[] = {SIGSEGV, SIGBUS,  SIGFPE,
                               SIGILL,  SIGTRAP, SIGSYS};
  sigset_t set;
  signals->held = !arenas_are_sealed();
  if (!signals->held)
    return;
  pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &signals->cancel);
  sigfillset(&set);
  for (unsigned i = 0; i < sizeof caused / sizeof *caused; i++)
    sigdelset(&set, caused[i]);
  pthread_sigmask(SIG_BLOCK, &set, &signals->before);
}

/* Restores what signals_hold found. */
static inline void
signals_let_go(const struct signals_held *signals)
{
  if (!signals->held)
    return;
  pthread_sigmask(SIG_SETMASK, &signals->before, NULL);
  pthread_setcancelstate(signals->cancel, NULL);
}
