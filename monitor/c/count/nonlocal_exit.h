/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * nonlocal_exit.h -- a thread has left the monitor, or the real allocator
 * behind it, without a return: a signal handler that interrupted it has ended
 * in longjmp, pthread_exit or an exception, as handlers of SIGABRT (after an
 * invalid free) and SIGSEGV do.
 *
 * The thread would be in the monitor for ever: its allocations would not be
 * counted, and others would wait for its locks.  What was begun is completed
 * or undone. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/attributes.h"
#include "c/count/monitor.h"

/* Returns whether the thread, which is in the monitor for two calls, had left
 * it in the midst of the first one; then it is in it for the second one
 * alone. `frame' is the frame of the interposed function. */
bool nonlocal_exit_recover(const uintptr_t *frame);

/* Enters the monitor for a call of the program's from the function with that
 * frame.  Returns false where it is in the midst of another call, as in a
 * handler of a signal: then there are locks that it must not wait for. */
static inline bool
nonlocal_exit_enter(const uintptr_t *frame)
{
  this_thread.inside++;
  return this_thread.inside == 1 || nonlocal_exit_recover(frame);
}
