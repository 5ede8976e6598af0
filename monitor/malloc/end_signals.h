/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * end_signals.h -- signals that end a program, and the one that MPROF_SIGNAL
 * names.
 *
 * What ends a program is handled when the program leaves that to the system:
 * the profile is written, and the signal is sent again.  The program does not
 * see it: where it asks, the default is what it is told, and when it says
 * that it wants the default again, this is that.
 */
#ifndef MPROF_END_SIGNALS_H
#define MPROF_END_SIGNALS_H

/* What a handler needs when the stack of its thread is used up: pages that
 * are only touched then. */
enum { END_SIGNAL_STACK = 1 << 18 };

/* Handle them from now on. */
void end_signals_open(void);

/* This thread may use END_SIGNAL_STACK bytes at `stack' for handlers, if it
 * has no such stack; and does not any more. */
void end_signals_use_stack(void *stack);
void end_signals_leave_stack(const void *stack);

#endif
