/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * threads.h -- the one monitor: the states of the Lisp threads that are or
 * were counted, and all that belongs to no single thread.
 *
 * Locking: `lock' is held by all public functions (monitor.h) and by the
 * events that are not allocations (thread start and end, code loaded or
 * unloaded).  The hook never takes it.  It guards all that is in struct
 * monitor.  All functions but the two events are called with it.  None runs
 * inside the hook. */
#pragma once

#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <time.h>

#include <ecl/ecl.h>

#include "code/code_objects.h"
#include "lisp/balance/collector_balance.h"
#include "lisp/hook/thread_state.h"

/* What is counted beside the trees, in one thread or in several. */
struct counters {
  uint64_t allocations, bytes;       /* the plain counters */
  struct requests requests;          /* that leaves do not tell */
  uint64_t finalizers, weak_links;   /* records that the collector made */
  uint64_t thread_record_bytes;      /* the same for threads that began */
  uint64_t finalizer_walks, differing_walks;
  uint64_t contexts, context_bytes;  /* paths, and the memory of the trees */
  uint64_t overflows;                /* look-ups beyond the budget */
  unsigned threads;                  /* that allocated */
  unsigned imported_threads;         /* that C made, while counting */
  unsigned uncounted_threads;        /* no memory was left when they began */
};

extern struct monitor {
  pthread_mutex_t lock;
  sigset_t signals;                     /* of the thread that has it: those
                                           that were blocked before */
  bool opened, running;
  bool unusable;                        /* the figures are of the process that
                                           this one is a copy of */
  bool has_figures;                     /* since the last reset */
  time_t since;                         /* they began */
  uint64_t resets;
  int finalize_on_demand;               /* of the collector, as it was */

  /* threads */
  uint32_t budget;
  bool fold, whole_walks;
  bool follow;                          /* until objects are dead */
  struct thread_state *threads;         /* in the order of their making */
  struct counters gone;                 /* of threads whose states are gone,
                                           or others' now */
  struct region_table regions;

  /* balance */
  int64_t ended_list_bytes;             /* see threads_end */
  struct collector_balance at_start;    /* of this run */
  struct collector_balance collector;   /* of the runs before this one */

  /* code */
  struct code_objects code;             /* loaded, when last looked */
} monitor;

/* Takes the lock and blocks all signals that could run Lisp code, which may
 * throw out of what holds a lock; the collector's cannot. */
static inline void
monitor_lock(void)
{
  sigset_t interrupts, before;
  sigfillset(&interrupts);
  sigdelset(&interrupts, SIGSEGV);
  sigdelset(&interrupts, SIGBUS);
  sigdelset(&interrupts, GC_get_suspend_signal());
  sigdelset(&interrupts, GC_get_thr_restart_signal());
  pthread_sigmask(SIG_BLOCK, &interrupts, &before);
  pthread_mutex_lock(&monitor.lock);
  monitor.signals = before;
}

/* Opens the lock, and gives the thread its signals back. */
static inline void
monitor_unlock(void)
{
  const sigset_t before = monitor.signals;
  pthread_mutex_unlock(&monitor.lock);
  pthread_sigmask(SIG_SETMASK, &before, NULL);
}

/* Returns the state of the thread with this environment, or NULL. */
struct thread_state *threads_find(cl_env_ptr env);

/* Hangs the hooks into a thread, whose allocations find `gate'; into this one
 * if that is open.  Returns false when memory ran out. */
bool threads_count(cl_env_ptr env, pthread_t thread, enum gate gate);

/* Counts the record that the collector gave to a thread that began in the
 * present run. */
void threads_began_in_run(pthread_t thread);

/* Take the hooks out of all threads; the gates are closed. */
void threads_release_all(void);

/* Events: the calling thread begins, or ends. */
void threads_start(cl_env_ptr env);
void threads_end(cl_env_ptr env);

/* Forgets all other threads in the child of a fork.  What they did is counted
 * here too. */
void threads_forked(void);

/* Takes over at the first start after a reset how big the trees may be and
 * how they are made (monitor.h).  Returns false when memory ran out. */
bool threads_take_options(unsigned long budget, int options);

/* Puts the figures of all threads into the image that was opened.  Those that
 * were in the last image are in it already. */
void threads_map(void);

/* Forgets all figures, and threads that have ended.  The gates are shut. */
void threads_forget_figures(void);

/* Code goes away: forget what threads made where.  Trees have no addresses.
 * The gates are shut. */
void threads_forget_code(void);

/* ---- counters ---- */

/* Returns whether a thread allocated.  Also true of one that was only given
 * the body of an object whose header it took before counting began. */
static inline bool
thread_has_counted(const struct thread_state *thread)
{
  return thread->tree.leaf_count > LEAF_FIRST;
}

/* Returns the counters of all threads together. */
struct counters threads_counters(void);
