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

/* Handle them from now on. */
void end_signals_open(void);

/* Leave one to the system from now on, or all that end the program, until
 * they are opened again.  MPROF_SIGNAL is handled still, and does nothing:
 * by default it would end the program. */
void end_signals_leave(int number);
void end_signals_close(void);

#endif
