/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * monitor.c -- start, stop and reset; code that comes and goes; forks.
 *
 * Model.  A start opens the gates and puts the states of the threads into
 * their environments.  A stop takes them out, and waits until every thread is
 * outside the hook.  Once opened, the monitor is told of threads and code
 * that come and go, counting or not.
 *
 * Such events come from any thread, without the lock.  Before code is
 * unmapped its sites are retired in all trees (code_objects.h), with the
 * gates shut, since other code may get its addresses.
 *
 * A single counter is read while threads run: it may be a few allocations
 * old.
 */
#include "monitor.h"

#include <pthread.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <time.h>

#include <ecl/ecl.h>

#include "image/image.h"
#include "image/image_file.h"
#include "lisp/balance/collector_balance.h"
#include "lisp/names/code_functions.h"
#include "lisp/names/kept_objects.h"
#include "lisp/names/lisp_functions.h"
#include "lisp/session/monitor_lock.h"
#include "lisp/snapshot/snapshot.h"
#include "lisp/threads/stop.h"
#include "lisp/threads/threads.h"
#include "lisp/walk/call_site.h"

/* ---- what went wrong ---- */

static _Thread_local char message[512];

const char *
mprof_monitor_message(void)
{
  return message;
}

int
monitor_fail(const char *format, ...)
{
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(message, sizeof message, format, arguments);
  va_end(arguments);
  return 1;
}

/* ---- code ---- */

static void
retire(const struct code_object *gone)
{
  code_functions_retire(gone);
  call_sites_outdate();
  threads_forget_frames();
}

bool
monitor_list_code(void)
{
  return code_objects_check(retire);
}

/* Adds the functions of a compiled file that was loaded. */
static void
names_added(struct ecl_function_names *names)
{
  monitor_lock();
  lisp_functions_add(names);
  call_sites_outdate();
  monitor_unlock();
}

/* Retires the shared object at `base', which is about to be unmapped. */
static void
block_unload(cl_object block, void *base)
{
  (void)block;
  monitor_lock();
  stop_set_gates(monitor.running ? GATE_PAUSED : GATE_CLOSED);
  monitor_list_code(); /* without memory for it, the block alone is retired */
  code_objects_unload((uintptr_t)base, retire);
  if (monitor.running)
    stop_set_gates(GATE_OPEN);
  monitor_unlock();
}

/* ---- figures ---- */

/* Forgets all figures.  The gates are shut. */
static void
forget_figures(void)
{
  threads_forget_figures();
  region_table_clear(&monitor.regions);
  monitor.has_figures = monitor.running;
  monitor.since = time(NULL);
  monitor.resets++;
  monitor.collector = (struct collector_balance){0};
}

/* ---- forks ---- */

/* Prepares for a fork: nobody holds the lock and no other thread counts.  A
 * process is copied page by page, and what a thread counted meanwhile would
 * be in one page and not in another.
 *
 * libgc has such handlers too, which hold the collector's lock meanwhile.
 * They were there before this library, so they are called within these. */
static void
fork_prepare(void)
{
  monitor_lock();
  if (monitor.running)
    stop_set_gates(GATE_PAUSED);
  image_fork_lock();
}

/* Goes on in both processes. */
static void
fork_end(void)
{
  if (monitor.running)
    stop_set_gates(GATE_OPEN);
  monitor_unlock();
}

static void
fork_parent(void)
{
  image_fork_unlock();
  fork_end();
}

/* Begins the child: with the figures if they are in memory, but those in a
 * file are its parent's. */
static void
fork_child(void)
{
  const bool mapped = image_is_open();
  code_objects_forked();
  threads_forked();
  if (!image_forked()) {
    monitor.running = false;
    monitor.unusable = true;
  } else if (mapped) {
    forget_figures();
    stop_begin_forked();
  }
  fork_end();
}

/* Begins at loading: a thread may fork while the monitor is opened. */
static void __attribute__((constructor)) expect_forks(void)
{
  pthread_atfork(fork_prepare, fork_parent, fork_child);
}

/* ---- begin and end of what follows ---- */

/* Opens the monitor if this runtime and kernel will do, and asks to be told
 * of events.  Does nothing the second time.  Returns a status. */
static int
open_monitor(void)
{
  if (monitor.unusable)
    return monitor_fail("the child of a fork had no memory for figures");
  if (monitor.opened)
    return 0;
  if (ecl_allocation_monitor.version != ECL_ALLOCATION_MONITOR_VERSION)
    return monitor_fail("this ECL has other allocation hooks; build the "
                        "patched ECL and mprof from the same source");
  if (!stop_init())
    return monitor_fail(
        "this kernel has no membarrier system call (Linux 4.14)");
  if (!note_runtime() || !monitor_list_code() || code_functions_open() != 0 ||
      kept_objects_open() != 0)
    return monitor_fail("out of memory");
  /* a file that is loaded meanwhile tells of itself when the lock is free; to
     be told of it twice is no harm */
  ecl_allocation_monitor.names_added = names_added;
  ecl_allocation_monitor.block_unload = block_unload;
  stop_barrier();
  lisp_functions_open();
  ecl_allocation_monitor.thread_start = threads_start;
  ecl_allocation_monitor.thread_end = threads_end;
  collector_balance_open();
  monitor.opened = true;
  return 0;
}

/* ---- the way in and out ---- */

bool
monitor_enter(void)
{
  monitor_lock();
  if (open_monitor() != 0) {
    monitor_unlock();
    return false;
  }
  ecl_process_env()->allocation_hooks = NULL;
  monitor.finalize_on_demand = GC_get_finalize_on_demand();
  GC_set_finalize_on_demand(1);
  return true;
}

void
monitor_leave(void)
{
  const cl_env_ptr env = ecl_process_env();
  struct thread_state *self = monitor.running ? threads_find(env) : NULL;
  GC_set_finalize_on_demand(monitor.finalize_on_demand);
  if (self != NULL)
    env->allocation_hooks = &self->hooks;
  monitor_unlock();
}

/* ---- life cycle ---- */

/* Begins to count in all threads, or in none.  Returns a status. */
static int
start(unsigned long budget, int options)
{
  if (budget > MPROF_MOST_BUDGET)
    return monitor_fail("a budget of %lu contexts is too large: it is %d at "
                        "most",
                        budget, MPROF_MOST_BUDGET);
  if ((!monitor.has_figures && !threads_take_options(budget, options)) ||
      !monitor_list_code())
    return monitor_fail("out of memory");
  if (!threads_count(ecl_process_env(), pthread_self(), GATE_PAUSED) ||
      !start_threads()) {
    stop_set_gates(GATE_CLOSED);
    threads_release_all();
    return monitor_fail("out of memory");
  }
  if (!monitor.has_figures)
    monitor.since = time(NULL);
  monitor.running = monitor.has_figures = true;
  return 0;
}

int
mprof_monitor_start(unsigned long budget, int options)
{
  int status = 0;
  if (!monitor_enter())
    return 1;
  if (!image_is_left())
    status = monitor_fail("out of memory");
  else if (!monitor.running)
    status = start(budget, options);
  if (status == 0)
    image_file_settle(true);
  monitor_leave();
  return status;
}

int
mprof_monitor_stop(void)
{
  if (!monitor_enter())
    return 1;
  if (monitor.running) {
    stop_threads();
    stop_set_gates(GATE_CLOSED);
    threads_release_all();
    monitor.running = false;
  }
  monitor_leave();
  return 0;
}

int
mprof_monitor_reset(void)
{
  if (!monitor_enter())
    return 1;
  if (monitor.running)
    stop_set_gates(GATE_PAUSED);
  image_set_forgetting(true);
  forget_figures();
  image_set_forgetting(false);
  if (monitor.running)
    start_threads();
  monitor_leave();
  return 0;
}

/* ---- counters ---- */

unsigned long long
mprof_monitor_counter(int which)
{
  struct counters c;
  monitor_lock();
  c = threads_counters();
  const uint64_t values[] = {
      [MPROF_ALLOCATIONS] = c.allocations,
      [MPROF_BYTES] = c.bytes,
      [MPROF_CONTEXTS] = c.contexts,
      [MPROF_THREADS] = c.threads,
      [MPROF_OVERFLOWS] = c.overflows,
      [MPROF_CONTEXT_BYTES] = c.context_bytes,
      [MPROF_RUNNING] = monitor.running,
      [MPROF_SINCE] = monitor.has_figures ? (uint64_t)monitor.since : 0,
      [MPROF_RESETS] = monitor.resets,
      [MPROF_FOLLOWS] = monitor.has_figures && monitor.follow};
  monitor_unlock();
  return which >= 0 && which <= MPROF_FOLLOWS ? values[which] : 0;
}
