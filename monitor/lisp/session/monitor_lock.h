/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * monitor_lock.h -- the way in and out for the functions of monitor.h. */
#pragma once

#include <stdbool.h>

/* Take the lock, and open the monitor.  Until `monitor_leave', this thread
 * must not allocate through its own hook, whose gate may be shut, nor may the
 * collector run finalizers in it, which are Lisp code.  False: it failed, and
 * nothing is held. */
bool monitor_enter(void);
void monitor_leave(void);

/* Says what went wrong, for mprof_monitor_message.  Returns 1, the status of
 * functions that have failed. */
int monitor_fail(const char *format, ...)
    __attribute__((format(printf, 1, 2)));

/* Look what is loaded now; what is not any more, without the runtime having
 * told of it (C closed a library), is retired.  False when memory ran out.
 * With the gates shut. */
bool monitor_list_code(void);
