/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * threads.h -- the states of the Lisp threads that are or were counted.
 *
 * All functions but threads_start: under the monitor's lock.  None inside the
 * hook.
 */
#ifndef MPROF_THREADS_H
#define MPROF_THREADS_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#include <ecl/ecl.h>

#include "write/lisp_profile.h"
#include "hook/thread_state.h"

/* The state of the thread with this environment, or NULL. */
struct thread_state *threads_find(cl_env_ptr env);

/* Hang the hooks into a thread; `gate' is what its allocations find.  A
 * thread that is `new' began while counting, and the collector has made a
 * record of it.  False when memory ran out. */
bool threads_count(cl_env_ptr env, pthread_t thread, enum gate gate,
                   bool new);

/* Hang the hooks, with a paused gate, into all threads that have none.  Gives
 * back how many, or -1 when memory ran out. */
int threads_count_all(bool new);

/* Take the hooks out of all threads; the gates are closed. */
void threads_release_all(void);

/* Event: the calling thread begins.  Takes the monitor's lock. */
void threads_start(cl_env_ptr env);

/* The first start after a reset says how big the trees may be and how they
 * are made.  False when memory ran out. */
bool threads_take_options(unsigned long budget, int options);

/* Forget all figures of the threads that live, and the threads that could not
 * be forgotten when they ended.  The gates are shut. */
void threads_forget_figures(void);

/* Release a state that is in no list. */
void thread_free(struct thread_state *thread);

/* A tree with the budget and options of now.  Gives back 0, or -1. */
int thread_tree_init(struct context_tree *tree);

/* Whether a thread allocated.  Also true of one that was only given the body
 * of an object whose header it took before counting began. */
bool thread_has_counted(const struct thread_state *thread);

/* Add the plain counters of a thread. */
void thread_add_counters(struct monitor_figures *to,
                         const struct thread_state *thread);

#endif
