/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * thread_labels.h -- what tells a thread from all others in the profile: its
 * name, with a number where that is not unique.  Once given, a label stays
 * until the next reset: that of an ended thread is not given again.
 *
 * A program that makes threads without end would leave as many states, so from
 * a number of ended ones on, those with one name share a state and its label,
 * and when there are as many names all others do: a thread that begins goes on
 * with the tree of one that has ended.
 *
 * With the monitor's lock, not inside the hook.
 */
#ifndef MPROF_THREAD_LABELS_H
#define MPROF_THREAD_LABELS_H

#include <ecl/ecl.h>

struct thread_state;

/* A label for the thread with that environment, from malloc; NULL when memory
 * ran out. */
char *thread_label_new(cl_env_ptr env);

/* The thread, which has allocated, ends: it may get a label that it shares
 * with those to come.  Its environment is still there. */
void thread_label_end(struct thread_state *thread);

/* The state of an ended thread that a new one is to go on with; NULL: it gets
 * one of its own. */
struct thread_state *thread_label_shared(cl_env_ptr env);

#endif
