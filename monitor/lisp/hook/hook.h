/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * hook.h -- what the runtime calls for each allocation.
 *
 * The hook never calls malloc, never allocates from the collector, never
 * prints and keeps errno.  It runs with Lisp interrupts disabled.
 *
 * It takes no lock once it knows the frames, functions and classes that it
 * meets.  A new one enters a shared table under a spin lock (frame_rule.c,
 * function_numbers.c, code_notes.c, kept_objects.c) and is noted under
 * another (image_notes.c).  While objects are followed, an explicit free
 * takes a spin lock (live_frees.c), and the collector's lock is taken where a
 * signal handler or a finalizer ran between the header of an object and its
 * body (live_collection.c).
 */
#ifndef MPROF_HOOK_H
#define MPROF_HOOK_H

#include "lisp/hook/thread_state.h"

/* Fill in the table of hooks of a thread. */
void hook_init(struct thread_state *thread);

/* Hang them, or NULL, into the environment of a thread, where allocators find
 * them; also while the thread may not write there itself. */
void hook_hang(cl_env_ptr env, struct ecl_allocation_hooks *hooks);

#endif
