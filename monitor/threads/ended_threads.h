/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * ended_threads.h -- which threads have states of their own when they end.
 *
 * Model.  A program that makes threads without end would leave as many
 * states, so from a number of them on, those with one name share a state, and
 * when there are as many names all others do: a thread that begins goes on with
 * the tree of one that has ended.
 *
 * With the monitor's lock, not inside the hook.
 */
#ifndef MPROF_ENDED_THREADS_H
#define MPROF_ENDED_THREADS_H

#include "hook/thread_state.h"

/* The thread, which has allocated, ends: it may get a label that it shares
 * with those to come.  Its environment is still there. */
void ended_thread_keep(struct thread_state *thread);

/* The state of an ended thread that a new one is to go on with; NULL: it gets
 * one of its own. */
struct thread_state *ended_thread_for(cl_env_ptr env);

#endif
