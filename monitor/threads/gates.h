/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * gates.h -- shut and open the gates of all threads, and know them outside
 * the hook.
 *
 * All functions: under the monitor's lock, not inside the hook.
 */
#ifndef MPROF_GATES_H
#define MPROF_GATES_H

#include <stdbool.h>

#include <ecl/ecl.h>

#include "hook/thread_state.h"

/* Ask the kernel for the barriers; false when it has none. */
bool gates_init(void);

/* Make all processors that run this process see what was stored before. */
void gates_barrier(void);

/* Set the gates of all threads; unless they open, wait until every thread is
 * outside the hook. */
void gates_set(enum gate gate);

/* Wait until every thread has been seen outside the hook once: what was
 * published before is what they all read from now on. */
void gates_wait_for_hooks(void);

/* While the gates are shut this thread must not allocate through its own
 * hook, nor may the collector run finalizers in it, which are Lisp code. */
struct quiet {
  cl_env_ptr env;
  struct ecl_allocation_hooks *hooks;
  int finalize_on_demand;
};
struct quiet quiet_begin(void);

/* `counting': this thread's allocations are counted again. */
void quiet_end(struct quiet quiet, bool counting);

#endif
