/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * lost.h -- what the process has lost at its end, if that was asked for
 * (malloc/reach/): it is put into the image.
 */
#ifndef MPROF_LOST_H
#define MPROF_LOST_H

#include <stdbool.h>

struct stopped_thread;

/* Find out whether it was asked for.  Once, when the monitor begins. */
void lost_open(void);
bool lost_is_asked(void);

/* The process ends, and this thread is as `here' says and does no more but to
 * end it.  Also in a handler of a signal, wherever that came, with a few KB of
 * stack.  Prints one line when it cannot be found. */
void lost_find(const struct stopped_thread *here);

#endif
