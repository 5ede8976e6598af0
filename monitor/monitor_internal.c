/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * monitor_internal.c -- the one monitor: its state, its lock, and what it
 * says of failures.
 */
#include "monitor_internal.h"

#include <stdio.h>

#include <ecl/ecl.h>

struct monitor monitor = { .lock = PTHREAD_MUTEX_INITIALIZER };

static _Thread_local char message[MONITOR_MESSAGE_SIZE];

const char *
mprof_monitor_message(void)
{
  return message;
}

int
monitor_fail(int status, const char *text)
{
  snprintf(message, sizeof message, "%s", text);
  return status;
}

void
monitor_lock_for_event(void)
{
  struct safepoint_visitor here;
  safepoint_visit(&here, ecl_process_env_unsafe());
  pthread_mutex_lock(&monitor.lock);
  safepoint_visited(&here);
}
