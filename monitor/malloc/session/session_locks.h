/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * session_locks.h -- all locks of the monitor of C programs, for a thread that
 * may be in a handler of a signal, which has interrupted it where it has some
 * of them.
 */
#ifndef MPROF_SESSION_LOCKS_H
#define MPROF_SESSION_LOCKS_H

#include <stdbool.h>

#include "malloc/count/malloc_monitor.h"

/* What a thread has that a signal may have interrupted in the hook. */
struct interruption {
  struct stripes_interrupted stripes;
  bool locked; /* the monitor */
  bool steady; /* its records; or they are not to be locked */
};

/* Until session_lock_end, this thread may lock what it needs: all, or what is
 * there but for the lock of records that stay as they are, for which it may
 * have to wait longer. */
void session_lock_begin(struct interruption *i, bool all);
void session_lock_end(const struct interruption *i);

void session_lock(const struct interruption *i);
void session_unlock(const struct interruption *i);

#endif
