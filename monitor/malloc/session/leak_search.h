/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * leak_search.h -- what the process has lost at its end, if that was asked
 * for: `mprof run' looks for it from outside (reduce/reach/), and the process
 * waits until it has.
 */
#ifndef MPROF_LEAK_SEARCH_H
#define MPROF_LEAK_SEARCH_H

#include <stdbool.h>

/* Find out whether it was asked for.  May allocate; once, when the monitor
 * begins. */
void leak_search_open(void);
bool leak_search_is_requested(void);

/* The process ends, and this thread does no more but to end it.  Also in a
 * handler of a signal, wherever that came, with a few KB of stack.  Prints
 * one line when `mprof run' cannot look for it. */
void leak_search_run(void);

#endif
