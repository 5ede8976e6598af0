/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * signal_guard.h -- a part of a thread's work during which it cannot be
 * cancelled, and a write that fails sends no signal.
 *
 * Neither pthread_cancel nor a handler that does not return may end it there:
 * it has locks, or a file that is not complete.  A file beyond RLIMIT_FSIZE
 * would send SIGXFSZ, and a pipe that nobody reads SIGPIPE; both would end
 * the program, which did not write.
 *
 * Takes no memory; may run in a handler of a signal.
 */
#ifndef MPROF_SIGNAL_GUARD_H
#define MPROF_SIGNAL_GUARD_H

#include <signal.h>
#include <stdbool.h>

struct signal_guard {
  sigset_t mask, pending; /* as they were */
  int cancel;
};

/* Of a collector in the program that stops threads by signals; NULL: none. */
extern int GC_get_suspend_signal(void) __attribute__((weak));
extern int GC_get_thr_restart_signal(void) __attribute__((weak));

/* `all': other signals are delayed as well, except a collector's, which waits
 * until all threads have stopped, while this one may wait for the lock of a
 * stopped thread. */
void signal_guard_begin(struct signal_guard *guard, bool all);
void signal_guard_end(const struct signal_guard *guard);

#endif
