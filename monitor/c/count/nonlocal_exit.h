/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * nonlocal_exit.h -- a thread has left the monitor, or the real allocator
 * behind it, without a return: a signal handler that interrupted it has ended
 * in longjmp, pthread_exit or an exception, as handlers of SIGABRT (after an
 * invalid free) and SIGSEGV do.
 *
 * The thread would be in the monitor for ever: its allocations would not be
 * counted, and others would wait for its locks.  What was begun is completed
 * or undone.
 */
#ifndef MPROF_NONLOCAL_EXIT_H
#define MPROF_NONLOCAL_EXIT_H

#include <stdbool.h>
#include <stdint.h>

/* A call finds its thread in the monitor already; `frame' is the frame of the
 * interposed function.  True: the thread had left, and is in it for this call
 * only.  False: this is a call in the midst of another. */
bool nonlocal_exit_recover(const uintptr_t *frame);

/* The thread ends, with no call active. */
void nonlocal_exit_end_thread(void);

#endif
