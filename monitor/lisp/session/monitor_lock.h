/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * monitor_lock.h -- the way in and out for the functions of monitor.h.
 */
#ifndef MPROF_MONITOR_LOCK_H
#define MPROF_MONITOR_LOCK_H

#include <signal.h>
#include <stdbool.h>

/* Block all signals that could run Lisp code, which may throw out of what
 * holds a lock.  Those of the collector are none. */
void monitor_block_interrupts(sigset_t *before);

/* The lock, with these blocked. */
void monitor_lock(void);
void monitor_unlock(void);

/* Take the lock, and open the monitor.  Until `monitor_leave', this thread
 * must not allocate through its own hook, whose gate may be shut, nor may the
 * collector run finalizers in it, which are Lisp code.  On failure nothing is
 * held. */
int monitor_enter(void);

/* Gives back `status'. */
int monitor_leave(int status);

/* What went wrong, for mprof_monitor_message.  Gives back `status'. */
int monitor_fail(int status, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Look what is loaded now; what is not any more, without the runtime having
 * told of it (C closed a library), is retired.  False when memory ran out.
 * With the gates shut. */
bool monitor_list_code(void);

#endif
