/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * interruption.h -- what a thread holds that a signal may have interrupted in
 * the hook.
 *
 * Model.  The process may be saved, or copied by fork, in the handler of a
 * signal, wherever that came: the thread may hold the monitor's lock, or those
 * of stripes.  Between interruption_begin and interruption_end its stripes are
 * open and consistent, its own allocations are not counted, and all can be
 * locked but for what it has already.
 */
#ifndef MPROF_INTERRUPTION_H
#define MPROF_INTERRUPTION_H

#include <stdbool.h>

#include "malloc/count/stripes_interrupted.h"

struct interruption {
  struct stripes_interrupted stripes;
  bool locked; /* the monitor */
};

/* Until interruption_end, this thread may lock what it needs. */
void interruption_begin(struct interruption *i);
void interruption_end(const struct interruption *i);

/* Lock the monitor and all stripes, in between. */
void interruption_lock_all(const struct interruption *i);
void interruption_unlock_all(const struct interruption *i);

#endif
