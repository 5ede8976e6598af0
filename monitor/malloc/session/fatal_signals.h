/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * fatal_signals.h -- signals that end a program, and the one that
 * MPROF_SIGNAL names.
 *
 * If it is asked for what the program has lost (leak_search.h), what ends a
 * program is handled when the program leaves that to the system: what is lost
 * is sought, and the signal is sent again.  The program does not see it:
 * where it asks, the default is what it is told, and when it says that it
 * wants the default again, this is that.
 */
#ifndef MPROF_FATAL_SIGNALS_H
#define MPROF_FATAL_SIGNALS_H

/* Handle them from now on. */
void fatal_signals_open(void);

#endif
