/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * monitor.c -- start, stop and reset; regions; the figures, to be read or
 * written.
 *
 * Model.  To start is to open the gates and to hang the states of the threads
 * into their environments; to stop is the reverse, and then to wait until
 * every thread is outside the hook.  Once opened, the monitor is told of
 * threads and code that come and go, counting or not.
 *
 * To write the figures while counting is to hold up all threads, so that
 * trees, counters and the collector's sum are of the same moment; the trees
 * are borrowed.  A single counter is read without that: it may be a few
 * allocations old.
 *
 * Not done here: stopping threads (stop.c), the format (write/).
 */
#include "monitor.h"

#include <gc/gc.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#include <ecl/ecl.h>

#include "code/code_functions.h"
#include "code_events.h"
#include "names/kept_objects.h"
#include "names/lisp_name.h"
#include "threads/monitor_state.h"
#include "threads/stop.h"
#include "threads/thread_labels.h"
#include "threads/threads.h"
#include "write/lisp_profile.h"

/* ---- what went wrong ---- */

static _Thread_local char message[512];

const char *
mprof_monitor_message(void)
{
  return message;
}

static int
fail(int status, const char *text)
{
  snprintf(message, sizeof message, "%s", text);
  return status;
}

/* ---- begin and end of what follows ---- */

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

/* Find out whether this runtime and kernel will do, and ask to be told of
 * events; does nothing the second time. */
static int
open_monitor(void)
{
  if (monitor.opened)
    return MPROF_OK;
  if (ecl_allocation_monitor.version != ECL_ALLOCATION_MONITOR_VERSION)
    return fail(MPROF_BAD_RUNTIME,
                "this ECL has other allocation hooks; build the patched ECL "
                "and mprof from one source");
  if (!stop_init())
    return fail(MPROF_NOT_SUPPORTED,
                "this kernel has no membarrier system call (Linux 4.14)");
  if (!code_events_open())
    return fail(MPROF_NO_MEMORY, "out of memory");
  ecl_allocation_monitor.thread_start = threads_start;
  ecl_allocation_monitor.thread_end = threads_end;
  ask_runtime_version();
  free_lists_open(&monitor.free_lists);
  monitor.opened = true;
  return MPROF_OK;
}

/* Take the lock, and open the monitor.  Until `leave', this thread must not
 * allocate through its own hook, whose gate may be shut, nor may the collector
 * run finalizers in it, which are Lisp code.  On failure nothing is held. */
static int
enter(void)
{
  int status;
  pthread_mutex_lock(&monitor.lock);
  status = open_monitor();
  if (status != MPROF_OK) {
    pthread_mutex_unlock(&monitor.lock);
    return status;
  }
  ecl_process_env()->allocation_hooks = NULL;
  monitor.finalize_on_demand = GC_get_finalize_on_demand();
  GC_set_finalize_on_demand(1);
  return MPROF_OK;
}

/* Gives back `status'. */
static int
leave(int status)
{
  const cl_env_ptr env = ecl_process_env();
  struct thread_state *self = monitor.running ? threads_find(env) : NULL;
  GC_set_finalize_on_demand(monitor.finalize_on_demand);
  if (self != NULL)
    env->allocation_hooks = &self->hooks;
  pthread_mutex_unlock(&monitor.lock);
  return status;
}

/* ---- life cycle ---- */

int
mprof_monitor_start(unsigned long budget, int options)
{
  int status = enter();
  if (status != MPROF_OK)
    return status;
  if (monitor.running)
    return leave(MPROF_OK);
  if ((!monitor.has_figures &&
       !threads_take_options(budget, (options & MPROF_UNFOLDED) == 0,
                             (options & MPROF_FULL_WALK) != 0)) ||
      !code_events_look())
    return leave(fail(MPROF_NO_MEMORY, "out of memory"));
  if (!threads_count(ecl_process_env(), pthread_self(), GATE_PAUSED) ||
      !stop_end())
    status = fail(MPROF_NO_MEMORY,
                  "out of memory: a thread is not counted");
  monitor.running = monitor.has_figures = true;
  return leave(status);
}

int
mprof_monitor_stop(void)
{
  const int status = enter();
  if (status != MPROF_OK)
    return status;
  if (monitor.running) {
    stop_begin();
    stop_set_gates(GATE_CLOSED);
    threads_release_all();
    monitor.running = false;
  }
  return leave(MPROF_OK);
}

int
mprof_monitor_reset(void)
{
  const int status = enter();
  if (status != MPROF_OK)
    return status;
  if (monitor.running)
    stop_set_gates(GATE_PAUSED);
  threads_forget_figures();
  region_table_clear(&monitor.regions);
  kept_objects_forget_lost_calls();
  monitor.has_figures = monitor.running;
  monitor.collector = (struct collector_balance){ 0 };
  if (monitor.running)
    stop_end();
  thread_labels_renew(); /* with the gates open: see stop_with_names */
  return leave(MPROF_OK);
}

/* ---- regions ----
 *
 * What a thread allocates in a region has a leaf of its own, for the kind of
 * a leaf has the region's number.  So when a thread enters or leaves one, all
 * that it knows of leaves is forgotten (some microseconds). */

/* Enter the region `name', or leave the innermost one when that is NULL.  A
 * thread that was never counted is in no region. */
static int
change_region(const char *name)
{
  struct thread_state *thread;
  pthread_mutex_lock(&monitor.lock);
  thread = threads_find(ecl_process_env_unsafe());
  if (thread != NULL) {
    const uint32_t before = thread->regions.region;
    if (name != NULL)
      region_enter(&monitor.regions, KIND_REGIONS, &thread->regions, name);
    else
      region_leave(&monitor.regions, &thread->regions, false);
    if (thread->regions.region != before)
      known_paths_forget(thread->paths);
  }
  pthread_mutex_unlock(&monitor.lock);
  return MPROF_OK;
}

int
mprof_monitor_region_begin(const char *name)
{
  return change_region(name);
}

int
mprof_monitor_region_end(void)
{
  return change_region(NULL);
}

/* ---- figures ---- */

static void
collect_figures(struct monitor_figures *f)
{
  *f = monitor.gone;
  f->regions = &monitor.regions;
  f->runtime_version = monitor.runtime_version;
  for (struct thread_state *t = monitor.threads; t != NULL; t = t->next) {
    thread_add_counters(f, t);
    f->overflows += t->tree.overflowed;
    f->contexts += context_tree_paths(&t->tree);
    f->context_bytes += context_tree_bytes(&t->tree);
  }
  f->lost_calls = kept_objects_lost_calls();
  f->collector = monitor.collector;
}

/* Printing waits for the runtime's lock on packages, and a thread that holds
 * it may wait at its gate: it is in the middle of INTERN, say, which
 * allocates.  So names are printed before, until none is missing. */
static void
stop_with_names(void)
{
  for (;;) {
    kept_objects_print_names(true);
    if (!monitor.running)
      return;
    stop_begin();
    if (!kept_objects_names_wait())
      return;
    stop_end();
  }
}

int
mprof_monitor_write(const char *path)
{
  struct monitor_figures f;
  struct thread_figures **last = &f.threads;
  char reason[sizeof message] = "out of memory";
  int status = enter();
  if (status != MPROF_OK)
    return status;
  stop_with_names();
  collect_figures(&f);
  for (struct thread_state *t = monitor.threads; t != NULL; t = t->next)
    if (thread_has_counted(t)) {
      struct thread_figures *one = calloc(1, sizeof *one);
      if (one == NULL || t->label == NULL) {
        free(one);
        status = MPROF_NO_MEMORY;
        break;
      }
      one->name = t->label;
      one->tree = &t->tree;
      *last = one;
      last = &one->next;
    }
  if (status == MPROF_OK && !code_events_look())
    status = MPROF_NO_MEMORY;
  code_functions_find_names(&monitor.code);
  if (status == MPROF_OK)
    status = lisp_profile_write(&f, path, reason, sizeof reason);
  if (status != MPROF_OK)
    fail(status, reason);
  while (f.threads != NULL) {
    struct thread_figures *one = f.threads;
    f.threads = one->next;
    free(one);
  }
  if (monitor.running)
    stop_end();
  return leave(status);
}

unsigned long long
mprof_monitor_counter(int which)
{
  struct monitor_figures f;
  unsigned long long value = 0;
  pthread_mutex_lock(&monitor.lock);
  collect_figures(&f);
  switch (which) {
  case MPROF_ALLOCATIONS: value = f.allocations; break;
  case MPROF_BYTES: value = f.bytes; break;
  case MPROF_CONTEXTS: value = f.contexts; break;
  case MPROF_THREADS: value = f.counted_threads; break;
  case MPROF_OVERFLOWS: value = f.overflows; break;
  case MPROF_CONTEXT_BYTES: value = f.context_bytes; break;
  case MPROF_RUNNING: value = monitor.running; break;
  default: break;
  }
  pthread_mutex_unlock(&monitor.lock);
  return value;
}
