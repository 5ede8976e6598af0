/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * process_events.h -- functions that end a process, make it another program
 * or unload code: see process_events.c.
 */
#ifndef MPROF_PROCESS_EVENTS_H
#define MPROF_PROCESS_EVENTS_H

#include "malloc/interpose/rebind.h"

/* Those that have to be bound anew in a process that runs already, with what
 * is behind each now; the last has no name. */
const struct interposed_function *process_event_functions(void);

#endif
