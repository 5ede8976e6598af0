/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * hook.h -- what the runtime calls for each allocation.
 *
 * The hook never takes a lock, never calls malloc, never allocates from the
 * collector, never prints and keeps errno.  It runs with Lisp interrupts
 * disabled.
 */
#ifndef MPROF_HOOK_H
#define MPROF_HOOK_H

#include "hook/thread_state.h"

/* Fill in the table of hooks of a thread. */
void hook_init(struct ecl_allocation_hooks *hooks);

#endif
