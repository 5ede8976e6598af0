/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * process_events.h -- what happens to a process besides allocation: it
 * becomes another program, it ends in one of many ways, it unloads code.
 */
#ifndef MPROF_PROCESS_EVENTS_H
#define MPROF_PROCESS_EVENTS_H

/* Look for what a child of a fork would have to look for itself. */
void process_events_open(void);

#endif
