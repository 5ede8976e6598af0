/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * pause.h -- hold up all threads while counting, settled with the collector.
 *
 * All functions: under the monitor's lock, in a quiet thread (gates.h), not
 * inside the hook.
 */
#ifndef MPROF_PAUSE_H
#define MPROF_PAUSE_H

#include <stdbool.h>

#include "balance/collector_balance.h"

/* What the collector has given out, as of a moment in which no thread is in
 * the middle of an allocation.  The gates are paused, and stay so.
 * `running': threads that are not known yet began while counting. */
struct collector_balance balance_at_rest(bool running);

/* Hold up all threads and settle with the collector. */
void pause_counting(void);

/* The same, with all names printed. */
void pause_with_names(void);

/* Let them go on. */
void resume_counting(void);

#endif
