/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * snapshot.c -- the figures of all threads at one moment, to be read or
 * written.
 *
 * Model.  A snapshot borrows the trees of the threads, those that live and
 * those that have ended, and adds up their counters.  To write one while
 * counting is to hold up all threads, so that trees, counters and the
 * collector's sum are of the same moment.  A single counter is read without
 * that: it may be a few allocations old.
 *
 * Not done here: the format (profile_writer.c).
 */
#include "monitor.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "code/code_functions.h"
#include "code_events.h"
#include "threads/ended_threads.h"
#include "threads/gates.h"
#include "monitor_internal.h"
#include "names/kept_objects.h"
#include "threads/pause.h"
#include "write/profile_writer.h"
#include "threads/threads.h"

static void
collect_figures(struct monitor_figures *f)
{
  *f = monitor.ended_figures;
  f->threads = NULL;
  f->runtime_version = monitor.runtime_version;
  for (struct thread_state *t = monitor.threads; t != NULL; t = t->next) {
    thread_add_counters(f, t);
    f->overflows += t->tree.overflowed;
    f->contexts += context_tree_paths(&t->tree);
    f->context_bytes += context_tree_bytes(&t->tree);
  }
  for (struct ended_threads *e = monitor.ended; e != NULL; e = e->next) {
    f->overflows += e->tree.overflowed;
    f->contexts += context_tree_paths(&e->tree);
    f->context_bytes += context_tree_bytes(&e->tree);
  }
  f->lost_calls = kept_objects_lost_calls();
  f->collector_bytes = monitor.collector_bytes;
  f->lists_read = monitor.lists_read;
  f->page_settled = monitor.page_settled;
  f->at_rest = monitor.at_rest;
}

static bool
add_thread_figures(struct monitor_figures *f, char *name,
                   const struct context_tree *tree)
{
  struct thread_figures *t = calloc(1, sizeof *t);
  if (t == NULL || name == NULL) {
    free(t);
    free(name);
    return false;
  }
  t->name = name;
  t->tree = tree;
  t->next = f->threads;
  f->threads = t;
  return true;
}

int
mprof_monitor_write(const char *path)
{
  struct monitor_figures f;
  char reason[MONITOR_MESSAGE_SIZE] = "out of memory";
  int status = MPROF_OK;
  bool running;
  struct quiet quiet;
  pthread_mutex_lock(&monitor.lock);
  if (!monitor.opened && (status = monitor_open()) != MPROF_OK) {
    pthread_mutex_unlock(&monitor.lock);
    return status;
  }
  running = monitor.running;
  quiet = quiet_begin();
  if (running)
    pause_with_names();
  else
    kept_objects_print_names(true);
  collect_figures(&f);
  for (struct ended_threads *e = monitor.ended; e != NULL; e = e->next)
    if (!add_thread_figures(&f, strdup(e->label), &e->tree))
      status = MPROF_NO_MEMORY;
  for (struct thread_state *t = monitor.threads; t != NULL; t = t->next)
    if (thread_has_counted(t) &&
        !add_thread_figures(
            &f, t->label != NULL ? strdup(t->label) : NULL, &t->tree))
      status = MPROF_NO_MEMORY;
  if (status == MPROF_OK && !code_events_look())
    status = MPROF_NO_MEMORY;
  code_functions_find_names(&monitor.code);
  if (status == MPROF_OK)
    status = profile_write(&f, path, reason, sizeof reason);
  if (status != MPROF_OK)
    monitor_fail(status, reason);
  while (f.threads != NULL) {
    struct thread_figures *t = f.threads;
    f.threads = t->next;
    free(t->name);
    free(t);
  }
  if (running)
    resume_counting();
  quiet_end(quiet, running);
  pthread_mutex_unlock(&monitor.lock);
  return status;
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
