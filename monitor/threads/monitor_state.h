/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * monitor_state.h -- the one monitor: all that belongs to no single thread.
 *
 * Locking: `lock' is held by all public functions (monitor.h) and by the
 * events that are not allocations (thread start and end, code loaded or
 * unloaded).  The hook never takes it.  It guards all that is in struct
 * monitor but `waiting'.
 */
#ifndef MPROF_MONITOR_STATE_H
#define MPROF_MONITOR_STATE_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#include <ecl/ecl.h>

#include "balance/collector_balance.h"
#include "balance/free_lists.h"
#include "code/code_objects.h"
#include "tree/region_table.h"
#include "write/lisp_profile.h"

struct thread_state;
struct used_name;
struct waiting_thread;

extern struct monitor {
  pthread_mutex_t lock;

  /* Threads that wait for `lock' in an event; with a lock of its own. */
  pthread_mutex_t waiting_lock;
  struct waiting_thread *waiting;

  bool opened, running;
  bool has_figures;                     /* since the last reset */
  char runtime_version[64];
  int finalize_on_demand;               /* of the collector, as it was */

  /* threads */
  uint32_t budget;
  bool fold, whole_walks;
  struct thread_state *threads;         /* in the order of their making */
  unsigned ended_count;                 /* of these, have ended */
  struct used_name *names;              /* see thread_labels */
  struct monitor_figures gone;          /* counters of threads that are not
                                           among these any more */
  struct region_table regions;

  /* balance */
  struct free_lists free_lists;
  int64_t ended_list_bytes;             /* see threads_end */
  uint64_t own_bytes;                   /* see collector_balance */
  struct collector_balance at_start;    /* of this run */
  struct collector_balance collector;   /* of the runs before this one */

  /* code */
  struct code_objects code;             /* loaded, when last looked */
} monitor;

/* Take the lock for an event. */
void monitor_lock_for_event(void);

/* Does the thread with this environment wait there?  Then it does nothing
 * else.  Under the lock. */
bool monitor_is_waited_for(cl_env_ptr env);

#endif
