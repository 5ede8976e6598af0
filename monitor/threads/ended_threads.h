/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * ended_threads.h -- the figures of threads that have ended.
 *
 * Not inside the hook.
 */
#ifndef MPROF_ENDED_THREADS_H
#define MPROF_ENDED_THREADS_H

#include <ecl/ecl.h>

#include "tree/context_tree.h"

/* The tree of an ended thread; beyond ENDED_TREES, of all with one name. */
struct ended_threads {
  char *label;
  struct context_tree tree;
  struct ended_threads *next;
};

/* Event: the calling thread ends.  Takes the monitor's lock. */
void ended_threads_add(cl_env_ptr env);

/* Forget the figures of all that have ended.  Under the lock. */
void ended_threads_forget(void);

#endif
