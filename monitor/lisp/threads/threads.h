/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * threads.h -- the one monitor: the states of the Lisp threads that are or
 * were counted, and all that belongs to no single thread.
 *
 * Locking: `lock' is held by all public functions (monitor.h) and by the
 * events that are not allocations (thread start and end, code loaded or
 * unloaded).  The hook never takes it.  It guards all that is in struct
 * monitor.  All functions but monitor_lock and the two events, which take it,
 * are called with it.  None runs inside the hook. */
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

/* Sums over threads since the last reset. */
struct counters {
  uint64_t allocations, bytes;     /* objects, and bytes requested */
  struct requests requests;        /* those that leaves do not tell */
  uint64_t finalizers, weak_links; /* records that the collector made */
  uint64_t thread_record_bytes;    /* those of threads that began meanwhile */
  uint64_t finalizer_walks, differing_walks; /* see struct stack_walk */
  uint64_t lost_calls;                       /* the same */
  uint64_t contexts, context_bytes; /* paths, and bytes of their records */
  uint64_t overflows;               /* look-ups beyond the budget */
  unsigned threads;                 /* threads that allocated */
  unsigned imported_threads;        /* threads that C made, while counting */
  unsigned uncounted_threads;       /* threads without memory for a state */
};

extern struct monitor {
  pthread_mutex_t lock;
  sigset_t signals;     /* that the holder of `lock' had blocked before */
  bool opened, running; /* by monitor_enter; it counts now */
  bool unusable; /* after a fork: the figures are the parent's, calls fail */
  bool has_figures;       /* it has counted at or since the last reset */
  time_t since;           /* time when the figures began */
  uint64_t resets;        /* resets so far */
  int finalize_on_demand; /* the collector's setting before monitor_enter */

  /* threads */
  uint32_t budget;              /* limit of contexts in each tree */
  bool fold, whole_walks;       /* not MPROF_UNFOLDED; MPROF_FULL_WALK */
  bool follow;                  /* MPROF_LIVE */
  struct thread_state *threads; /* list, the oldest state first */
  struct counters gone; /* of states that were freed or taken by others */
  struct region_table regions;

  /* balance */
  int64_t ended_list_bytes; /* on the free lists of threads that ended */
  struct collector_balance at_start;  /* at the start of this run */
  struct collector_balance collector; /* sum of the runs before this one,
                                         since the last reset */
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

/* Opens the lock, and unblocks the signals that monitor_lock blocked. */
static inline void
monitor_unlock(void)
{
  const sigset_t before = monitor.signals;
  pthread_mutex_unlock(&monitor.lock);
  pthread_sigmask(SIG_SETMASK, &before, NULL);
}

/* Returns the state of the thread with this environment, or NULL. */
struct thread_state *threads_find(cl_env_ptr env);

/* Sets the gate of the thread with this environment, for which it makes a
 * state if there is none, and hangs the hooks into it; those of the calling
 * thread only with GATE_OPEN.  Returns false without memory. */
bool threads_count(cl_env_ptr env, pthread_t thread, enum gate gate);

/* Takes the hooks out of all threads, and begins new epochs.  The gates are
 * closed. */
void threads_release_all(void);

/* Begin to count the calling thread, if the monitor is running, and end that:
 * the runtime's events.  Without memory the thread is counted as one of
 * `uncounted_threads'.  They take the lock. */
void threads_start(cl_env_ptr env);
void threads_end(cl_env_ptr env);

/* Marks all other threads as ended, in the child of a fork; their figures
 * stay. */
void threads_forked(void);

/* Sets the budget and options of mprof_monitor_start, and makes new, empty
 * trees for all threads; the gates are closed.  Returns false without memory;
 * some threads have no tree then. */
bool threads_take_options(unsigned long budget, int options);

/* Puts the trees of all threads into the image that was opened; the gates are
 * closed. */
void threads_map(void);

/* Forgets all figures, and frees the states of threads that have ended.  The
 * gates are shut. */
void threads_forget_figures(void);

/* Forgets what is known of frames and by addresses of code, as that goes away
 * or a new epoch begins; trees have none.  The gates are shut. */
void threads_forget_frames(void);

/* ---- counters ---- */

/* Returns whether a thread allocated.  Also true of one that was only given
 * the body of an object whose header it took before counting began. */
static inline bool
thread_has_counted(const struct thread_state *thread)
{
  return thread->tree.leaf_count > LEAF_FIRST;
}

/* Returns the counters of all threads together, also while they count. */
struct counters threads_counters(void);
