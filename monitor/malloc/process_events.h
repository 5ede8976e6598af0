/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * process_events.h -- what happens to a process besides allocation: it forks,
 * it becomes another program, it ends in one of many ways, it loads code and
 * unloads it, it gets a signal.
 */
#ifndef MPROF_PROCESS_EVENTS_H
#define MPROF_PROCESS_EVENTS_H

/* Ask to be told of forks, and of signals: that which the environment names,
 * and those that end the program unless it handles them itself. */
void process_events_open(void);

#endif
