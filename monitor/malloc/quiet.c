/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * quiet.c -- see quiet.h.
 */
#include "malloc/quiet.h"

#include <pthread.h>
#include <time.h>

static const int of_writes[] = { SIGXFSZ, SIGPIPE };

enum { OF_WRITES = sizeof of_writes / sizeof *of_writes };

void
quiet_begin(struct quiet *quiet, bool all)
{
  sigset_t blocked;
  pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &quiet->cancel);
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
  pthread_sigmask(SIG_BLOCK, &blocked, &quiet->mask);
  sigpending(&quiet->pending);
}

/* What waits now and did not before is of our writes. */
void
quiet_end(const struct quiet *quiet)
{
  static const struct timespec at_once;
  sigset_t pending;
  sigpending(&pending);
  for (int i = 0; i < OF_WRITES; i++) {
    sigset_t one;
    sigemptyset(&one);
    sigaddset(&one, of_writes[i]);
    if (sigismember(&pending, of_writes[i]) &&
        !sigismember(&quiet->pending, of_writes[i]))
      sigtimedwait(&one, NULL, &at_once);
  }
  pthread_sigmask(SIG_SETMASK, &quiet->mask, NULL);
  pthread_setcancelstate(quiet->cancel, NULL);
}
