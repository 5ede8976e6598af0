/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "c/signal_guard.h"

#include <pthread.h>
#include <time.h>

static const int of_writes[] = {SIGXFSZ, SIGPIPE};

enum { OF_WRITES = sizeof of_writes / sizeof *of_writes };

void
signal_guard_begin(struct signal_guard *guard, bool all)
{
  sigset_t blocked;
  pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &guard->cancel);
  sigemptyset(&blocked);
  for (int i = 0; i < OF_WRITES; i++)
    sigaddset(&blocked, of_writes[i]);
  if (all) {
    sigfillset(&blocked);
    if (GC_get_suspend_signal != NULL) {
      sigdelset(&blocked, GC_get_suspend_signal());
      sigdelset(&blocked, GC_get_thr_restart_signal());
    }
  }
  pthread_sigmask(SIG_BLOCK, &blocked, &guard->mask);
  sigpending(&guard->pending);
}

/* What waits now and did not before is of our writes. */
void
signal_guard_end(const struct signal_guard *guard)
{
  static const struct timespec at_once;
  sigset_t pending;
  sigpending(&pending);
  for (int i = 0; i < OF_WRITES; i++) {
    sigset_t one;
    sigemptyset(&one);
    sigaddset(&one, of_writes[i]);
    if (sigismember(&pending, of_writes[i]) &&
        !sigismember(&guard->pending, of_writes[i]))
      sigtimedwait(&one, NULL, &at_once);
  }
  pthread_sigmask(SIG_SETMASK, &guard->mask, NULL);
  pthread_setcancelstate(guard->cancel, NULL);
}
