/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * taking.c -- a snapshot of the figures, for the reader to make a profile of.
 *
 * To take one while counting is to hold up all threads, so that trees, counters
 * and the collector's sum are of the same moment.  They are copied
 * (snapshot/figures.h), and the threads go on while an image is made of the
 * copy.
 *
 * Not done here: stopping threads (stop.c), the image (snapshot/).
 */
#include "monitor.h"

#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define GC_THREADS
#define GC_NO_THREAD_REDIRECTS
#include <gc/gc.h>

#include "entry.h"
#include "live/live_frees.h"
#include "names/kept_objects.h"
#include "snapshot/snapshot.h"
#include "threads/stop.h"
#include "threads/threads.h"

/* ---- what went wrong ---- */

static _Thread_local char message[512];

const char *
mprof_monitor_message(void)
{
  return message;
}

int
monitor_fail(int status, const char *format, ...)
{
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(message, sizeof message, format, arguments);
  va_end(arguments);
  return status;
}

/* ---- holding up threads ---- */

static uint64_t stop_began, stopped; /* nanoseconds */

uint64_t
monitor_stopped_nanoseconds(void)
{
  return __atomic_load_n(&stopped, __ATOMIC_RELAXED);
}

static uint64_t
now(void)
{
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (uint64_t)time.tv_sec * 1000000000 + (uint64_t)time.tv_nsec;
}

static void
stop(bool balanced)
{
  stop_began = now();
  if (balanced)
    stop_begin();
  else
    stop_set_gates(GATE_PAUSED);
}

static void
go_on(bool balanced)
{
  if (balanced)
    stop_end();
  else
    stop_set_gates(GATE_OPEN);
  __atomic_store_n(&stopped, now() - stop_began, __ATOMIC_RELAXED);
}

/* Printing waits for the runtime's lock on packages, and a thread that holds
 * it may wait at its gate: it is in the middle of INTERN, say, which
 * allocates.  So names are printed before, until none is missing. */
static void
stop_with_names(bool balanced)
{
  for (;;) {
    kept_objects_print_names(true);
    if (!monitor.running)
      return;
    stop(balanced);
    if (!kept_objects_names_wait())
      return;
    go_on(balanced);
  }
}

/* Wipe what functions that have returned left below this frame: frames to
 * come would keep it alive where they do not write.  Likewise the values of
 * the last Lisp function. */
static void __attribute__((noinline))
forget_words(cl_env_ptr env)
{
  enum { STACK_BYTES = 64 << 10 };
  volatile char stack[STACK_BYTES];
  for (size_t i = 0; i < sizeof stack; i++)
    stack[i] = 0;
  for (size_t i = 0; i < ECL_MULTIPLE_VALUES_LIMIT; i++)
    env->values[i] = ECL_NIL;
}

/* What is alive is as of one moment. */
static void
hold_live(bool hold)
{
  if (!monitor.follow)
    return;
  if (hold) {
    GC_disable();
    live_frees_begin();
  } else {
    live_frees_end();
    GC_enable();
  }
}

/* ---- a snapshot ---- */

/* What refers to what is read before the threads go on. */
static bool
take(struct snapshot *snapshot, struct lisp_figures *figures, int before)
{
  const bool balanced = (before & MPROF_UNBALANCED) == 0;
  const bool held = (before & MPROF_HOLDERS) != 0 && monitor.follow;
  struct live_graph graph = {0};
  bool taken;
  if (!lisp_figures_reserve(figures))
    return false;
  stop_with_names(balanced);
  if ((before & (MPROF_COLLECT | MPROF_HOLDERS)) != 0) {
    forget_words(ecl_process_env());
    GC_gcollect();
  }
  hold_live(true);
  taken = monitor_look_for_code() && lisp_figures_take(figures) &&
          (!held || live_graph_take(&graph));
  hold_live(false);
  if (monitor.running)
    go_on(balanced);
  figures->balanced = balanced;
  figures->heap = (before & MPROF_HEAP) != 0;
  taken = taken && snapshot_make(snapshot, figures, held ? &graph : NULL);
  live_graph_release(&graph);
  return taken;
}

static int
take_if_open(struct snapshot *snapshot, int before)
{
  struct lisp_figures figures = {0};
  int status = monitor_enter();
  if (status != MPROF_OK)
    return status;
  if (!take(snapshot, &figures, before))
    status = monitor_fail(MPROF_NO_MEMORY, "out of memory");
  lisp_figures_release(&figures);
  return monitor_leave(status);
}

static void
release(struct snapshot *snapshot)
{
  if (snapshot != NULL)
    arena_release(&snapshot->contents);
  free(snapshot);
}

/* What memory is asked for with may not be thrown out of either. */
void *
mprof_monitor_snapshot(int before)
{
  struct snapshot *snapshot;
  sigset_t signals;
  monitor_block_interrupts(&signals);
  snapshot = calloc(1, sizeof *snapshot);
  if (snapshot == NULL)
    monitor_fail(MPROF_NO_MEMORY, "out of memory");
  else if (take_if_open(snapshot, before) != MPROF_OK) {
    release(snapshot);
    snapshot = NULL;
  }
  pthread_sigmask(SIG_SETMASK, &signals, NULL);
  return snapshot;
}

const void *
mprof_snapshot_octets(const void *snapshot)
{
  return ((const struct snapshot *)snapshot)->contents.base;
}

unsigned long
mprof_snapshot_length(const void *snapshot)
{
  return ((const struct snapshot *)snapshot)->length;
}

void
mprof_snapshot_free(void *snapshot)
{
  sigset_t signals;
  monitor_block_interrupts(&signals);
  release(snapshot);
  pthread_sigmask(SIG_SETMASK, &signals, NULL);
}
