/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * system_call_filter.h -- a program that limits its own system calls
 * (seccomp), which ends it where it makes another one.  The monitor makes
 * some as well: for memory, and for room in its file, which is open already.
 *
 * Whether it may is tried before, by a copy of the process that sets the same
 * filter and makes the calls.  If that ends the copy, room is made for what
 * is still to come, and the monitor makes no call any more: what then finds
 * no room is counted over the budget.  Calls that only fail are borne as
 * elsewhere.
 */
#ifndef MPROF_SYSTEM_CALL_FILTER_H
#define MPROF_SYSTEM_CALL_FILTER_H

#include <stdbool.h>

struct system_call {
  long number, arguments[6];
};

/* The process is about to make that call, which sets a filter. */
void system_call_filter_before(const struct system_call *call);

/* Whether it has set one. */
bool system_call_filter_is_set(void);

/* Make it; as syscall does. */
long system_call_make(const struct system_call *call);

#endif
