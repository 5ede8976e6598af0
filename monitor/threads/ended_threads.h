/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * ended_threads.h -- which threads keep a state of their own when they end.
 *
 * Model.  A program that makes threads without end would leave as many
 * states, so from a number of them on, those with one name share a state, and
 * when there are as many names all others do: their trees are merged.  Nothing
 * is lost: what a shared tree has no room for is over its budget, and a thread
 * for which there is no memory keeps its state.
 *
 * With the monitor's lock, not inside the hook.
 */
#ifndef MPROF_ENDED_THREADS_H
#define MPROF_ENDED_THREADS_H

#include <stdbool.h>

#include "hook/thread_state.h"

/* Whether a thread that ends keeps its state, perhaps with a label that it
 * shares with those to come; else its tree has been merged into that of such
 * a state. */
bool ended_thread_keeps_state(struct thread_state *thread);

#endif
