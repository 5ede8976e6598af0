/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * nonlocal_exit.h -- a thread that has left the monitor, or the real
 * allocator behind it, without a return: a handler of a signal came there and
 * has ended in longjmp, pthread_exit or an exception.  So do handlers of
 * SIGABRT, after an invalid free, and of SIGSEGV.
 *
 * The thread would be in the monitor for ever: its allocations would not be
 * counted, and others would wait for locks that it has.  What was begun is
 * made whole, or as if it had not begun.
 */
#ifndef MPROF_NONLOCAL_EXIT_H
#define MPROF_NONLOCAL_EXIT_H

#include <stdbool.h>
#include <stdint.h>

/* A call by the program finds its thread in the monitor already; `frame' is
 * the frame of the interposed function.  False: the thread is, and this is a
 * call in the midst of another.  True: it had left, and now it is not but for
 * this call. */
bool nonlocal_exit_recover(const uintptr_t *frame);

/* The thread ends, with no call active. */
void nonlocal_exit_end_thread(void);

#endif
