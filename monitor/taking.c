/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * taking.c -- a snapshot of the figures, for the reader to make a profile of.
 *
 * To take one while counting is to hold up all threads, so that trees, counters
 * and the collector's sum are of the same moment.
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

#include "monitor_lock.h"
#include "live/live_frees.h"
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

static uint64_t
now(void)
{
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (uint64_t)time.tv_sec * 1000000000 + (uint64_t)time.tv_nsec;
}

/* Gives back when. */
static uint64_t
stop(bool balanced)
{
  const uint64_t began = now();
  if (monitor.running && balanced)
    stop_threads();
  else if (monitor.running)
    stop_set_gates(GATE_PAUSED);
  return began;
}

static void
go_on(bool balanced, uint64_t began)
{
  if (!monitor.running)
    return;
  if (balanced)
    start_threads();
  else
    stop_set_gates(GATE_OPEN);
  monitor.stopped = now() - began;
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
take(struct snapshot *snapshot, int before)
{
  const bool held = (before & MPROF_HOLDERS) != 0 && monitor.follow;
  struct live_graph graph = {0};
  uint64_t began;
  bool taken;
  snapshot->balanced = (before & MPROF_UNBALANCED) == 0;
  snapshot->heap = (before & MPROF_HEAP) != 0;
  if (!snapshot_reserve(snapshot))
    return false;
  began = stop(snapshot->balanced);
  if ((before & (MPROF_COLLECT | MPROF_HOLDERS)) != 0) {
    forget_words(ecl_process_env());
    GC_gcollect();
  }
  hold_live(true);
  taken = monitor_list_code() && snapshot_take(snapshot) &&
          (!held || live_graph_take(&graph, &snapshot->notes));
  hold_live(false);
  go_on(snapshot->balanced, began);
  taken = taken && snapshot_complete(snapshot, held ? &graph : NULL);
  live_graph_release(&graph);
  return taken;
}

static int
take_if_open(struct snapshot *snapshot, int before)
{
  int status = monitor_enter();
  if (status != MPROF_OK)
    return status;
  if (!take(snapshot, before))
    status = monitor_fail(MPROF_NO_MEMORY, "out of memory");
  return monitor_leave(status);
}

static void
release(struct snapshot *snapshot)
{
  if (snapshot != NULL)
    snapshot_release(snapshot);
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
