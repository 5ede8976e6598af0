/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * monitor_lock.h -- the way in and out for the functions of monitor.h. */
#pragma once

#include <stdbool.h>

/* Takes the monitor's lock, opens the monitor the first time, and until
 * monitor_leave keeps this thread from its own hook, whose gate may be shut,
 * and the collector from running finalizers, which are Lisp code.  Returns
 * true, and monitor_leave is to follow; or false, after monitor_fail and with
 * the lock open again. */
bool monitor_enter(void);
void monitor_leave(void);

/* Makes the text this thread's mprof_monitor_message.  Returns 1, the status
 * of functions that have failed.  Needs no lock. */
int monitor_fail(const char *format, ...)
    __attribute__((format(printf, 1, 2)));

/* Brings the list of loaded code up to date.  Retires code that has gone
 * without the runtime's telling (C closed a library).  Returns false, and
 * changes nothing, without memory.  Under the monitor's lock, with the gates
 * shut. */
bool monitor_list_code(void);
