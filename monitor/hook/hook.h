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

/* Fill in the table of hooks of a thread, which follows its objects or does
 * not. */
void hook_init(struct thread_state *thread);

/* Hang them, or NULL, into the environment of a thread, where allocators find
 * them; also while the thread may not write there itself. */
void hook_hang(cl_env_ptr env, struct ecl_allocation_hooks *hooks);

/* The part of it that is about following. */
void hook_follow(struct ecl_allocation_hooks *hooks);

#endif
