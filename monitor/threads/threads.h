/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * threads.h -- the states of the Lisp threads that are or were counted.
 *
 * All functions but the two events: under the monitor's lock.  None inside
 * the hook.
 */
#ifndef MPROF_THREADS_H
#define MPROF_THREADS_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#include <ecl/ecl.h>

#include "hook/thread_state.h"
#include "write/lisp_profile.h"

/* The state of the thread with this environment, or NULL. */
struct thread_state *threads_find(cl_env_ptr env);

/* Hang the hooks into a thread; `gate' is what its allocations find.  (The
 * calling thread gets no hooks yet, unless the gate is open.)  False when
 * memory ran out. */
bool threads_count(cl_env_ptr env, pthread_t thread, enum gate gate);

/* Take the hooks out of all threads; the gates are closed. */
void threads_release_all(void);

/* Events: the calling thread begins, or ends. */
void threads_start(cl_env_ptr env);
void threads_end(cl_env_ptr env);

/* The first start after a reset says how big the trees may be and how they
 * are made (monitor.h).  False when memory ran out. */
bool threads_take_options(unsigned long budget, bool fold, bool whole_walks);

/* Forget all figures, and the threads that have ended.  The gates are
 * shut. */
void threads_forget_figures(void);

/* Give each site in all trees the number that `retire' gives it.  The gates
 * are shut. */
void threads_rename_sites(uint64_t (*retire)(void *closure, uint64_t site),
                          void *closure);

/* Whether a thread allocated.  Also true of one that was only given the body
 * of an object whose header it took before counting began. */
bool thread_has_counted(const struct thread_state *thread);

/* Add the plain counters of a thread. */
void thread_add_counters(struct monitor_figures *to,
                         const struct thread_state *thread);

#endif
