/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Progress on a terminal: one line on standard error, from the time on that a
 * command has taken two seconds, written anew four times a second, and
 * removed when the work ends or output begins.
 *
 * A timer looks at what the library tells (base/progress.h), so that a long
 * step that tells nothing is seen to be under way all the same.  There is one
 * timer in a process, and so one of these; only main.c uses it.
 */

#ifndef MPROF_TERMINAL_PROGRESS_H
#define MPROF_TERMINAL_PROGRESS_H

#include "base/progress.h"

/* Starts looking, if standard error is a terminal; what to tell then, or
 * NULL. */
struct progress *terminal_progress_start(void);

/* Stops looking and removes the line; may be called again. */
void terminal_progress_stop(void);

#endif
