/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * monitor.c -- life cycle: start, stop and reset.
 *
 * Model.  To start is to open the gates and to hang the states of the threads
 * into their environments; to stop is the reverse, and then to wait until
 * every thread is outside the hook.  Once opened, the monitor is told of
 * threads and code that come and go, counting or not.
 *
 * monitor_internal.h says what the other files of the monitor do, and how it
 * is locked.
 */
#include "monitor.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#include <ecl/ecl.h>

#include "code_events.h"
#include "threads/ended_threads.h"
#include "balance/free_lists.h"
#include "threads/gates.h"
#include "names/kept_objects.h"
#include "names/lisp_name.h"
#include "monitor_internal.h"
#include "threads/pause.h"
#include "threads/regions.h"
#include "threads/thread_labels.h"
#include "threads/threads.h"

static void
ask_runtime_version(void)
{
  cl_object v = cl_funcall(
      1, ecl_make_symbol("LISP-IMPLEMENTATION-VERSION", "CL"));
  char *text = ECL_STRINGP(v) ? lisp_name_of_thread(v) : NULL;
  snprintf(monitor.runtime_version, sizeof monitor.runtime_version, "%s",
           text != NULL ? text : "");
  free(text);
}

int
monitor_open(void)
{
  if (monitor.opened)
    return MPROF_OK;
  if (ecl_allocation_monitor.version != ECL_ALLOCATION_MONITOR_VERSION)
    return monitor_fail(MPROF_BAD_RUNTIME,
                        "this ECL has other allocation hooks; build the "
                        "patched ECL and mprof from one source");
  if (!gates_init())
    return monitor_fail(MPROF_NOT_SUPPORTED,
                        "this kernel has no membarrier system call "
                        "(Linux 4.14)");
  if (!code_events_open())
    return monitor_fail(MPROF_NO_MEMORY, "out of memory");
  ecl_allocation_monitor.thread_start = threads_start;
  ecl_allocation_monitor.thread_end = ended_threads_add;
  ask_runtime_version();
  free_lists_open();
  monitor.lists_read = monitor.page_settled = monitor.at_rest = true;
  monitor.opened = true;
  return MPROF_OK;
}

int
mprof_monitor_start(unsigned long budget, int options)
{
  int status;
  struct quiet quiet;
  pthread_mutex_lock(&monitor.lock);
  status = monitor_open();
  if (status != MPROF_OK || monitor.running)
    goto done;
  if (!monitor.has_figures && !threads_take_options(budget, options)) {
    status = monitor_fail(MPROF_NO_MEMORY, "out of memory");
    goto done;
  }
  if (!code_events_look()) {
    status = monitor_fail(MPROF_NO_MEMORY, "out of memory");
    goto done;
  }
  quiet = quiet_begin();
  gates_set(GATE_PAUSED);
  monitor.at_start = balance_at_rest(false);
  monitor.running = monitor.has_figures = true;
  if (threads_count_all(false) < 0 ||
      !threads_count(quiet.env, pthread_self(), GATE_PAUSED, false))
    status = monitor_fail(MPROF_NO_MEMORY,
                          "out of memory: a thread is not counted");
  gates_set(GATE_OPEN);
  quiet.hooks = &threads_find(quiet.env)->hooks;
  quiet_end(quiet, true);
done:
  pthread_mutex_unlock(&monitor.lock);
  return status;
}

int
mprof_monitor_stop(void)
{
  pthread_mutex_lock(&monitor.lock);
  if (monitor.running) {
    struct quiet quiet = quiet_begin();
    pause_counting();
    gates_set(GATE_CLOSED);
    quiet_end(quiet, false);
    threads_release_all();
    monitor.running = false;
  }
  pthread_mutex_unlock(&monitor.lock);
  return MPROF_OK;
}

int
mprof_monitor_reset(void)
{
  struct quiet quiet;
  pthread_mutex_lock(&monitor.lock);
  quiet = quiet_begin();
  gates_set(monitor.running ? GATE_PAUSED : GATE_CLOSED);
  ended_threads_forget();
  threads_forget_figures();
  regions_forget();
  kept_objects_forget_lost_calls();
  monitor.has_figures = monitor.running;
  monitor.collector_bytes = 0;
  monitor.lists_read = monitor.page_settled = monitor.at_rest = true;
  if (monitor.running)
    resume_counting();
  thread_labels_renew(); /* with the gates open: see pause_with_names */
  quiet_end(quiet, monitor.running);
  pthread_mutex_unlock(&monitor.lock);
  return MPROF_OK;
}
