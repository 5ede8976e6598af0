/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * monitor_internal.h -- the one monitor, shared by the files that are it:
 *
 *     monitor         start, stop, reset
 *     snapshot        read and write the figures
 *     pause, gates    hold up the threads
 *     threads, thread_labels, ended_threads
 *     code_events     code that comes and goes
 *
 * Locking: `lock' is held by all public functions and by the events that are
 * not allocations (thread start and end, code loaded or unloaded).  The hook
 * never takes it.  It guards all that is in struct monitor.
 */
#ifndef MPROF_MONITOR_INTERNAL_H
#define MPROF_MONITOR_INTERNAL_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#include "balance/collector_balance.h"
#include "code/code_objects.h"
#include "monitor.h"
#include "write/profile_writer.h"
#include "threads/safepoint.h"

struct ended_threads;
struct thread_state;
struct used_name;

extern struct monitor {
  pthread_mutex_t lock;

  bool opened, running;
  bool membarrier;                      /* see gates_barrier */
  bool has_figures;                     /* since the last reset */
  char runtime_version[64];
  int options;
  uint32_t budget;

  struct thread_state *threads;
  struct safepoint_roster roster;       /* scratch of threads_count_all */
  struct used_name *names;              /* see thread_labels */
  uint64_t last_serial;

  struct ended_threads *ended;
  unsigned ended_count;
  struct monitor_figures ended_figures; /* counters of ended threads */
  int64_t ended_list_bytes;             /* see ended_threads_add */

  uint64_t collector_bytes;             /* of the runs before this one */
  struct collector_balance at_start;    /* of this run */
  bool lists_read, page_settled, at_rest;

  struct code_objects code;             /* loaded, when last looked */
} monitor;

/* Take the lock for an event: a thread that waits here is known to do nothing
 * else. */
void monitor_lock_for_event(void);

enum { MONITOR_MESSAGE_SIZE = 512 };

/* Keep `text' for mprof_monitor_message; gives back `status'. */
int monitor_fail(int status, const char *text);

/* In monitor.c: find out whether this runtime and kernel will do, and ask to
 * be told of events; does nothing the second time.  Gives back an enum
 * mprof_status. */
int monitor_open(void);

#endif
