/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * code_events.h -- code that comes and goes while the monitor is open.
 *
 * Not inside the hook.
 */
#ifndef MPROF_CODE_EVENTS_H
#define MPROF_CODE_EVENTS_H

#include <stdbool.h>

/* Learn of the code that is loaded, and ask the runtime to tell of what comes
 * and goes from now on.  False when memory ran out.  Under the monitor's
 * lock. */
bool code_events_open(void);

/* Look what is loaded now; what is not any more, without the runtime having
 * told of it (C closed a library), is retired.  False when memory ran out.
 * Under the monitor's lock, with the gates shut. */
bool code_events_look(void);

#endif
