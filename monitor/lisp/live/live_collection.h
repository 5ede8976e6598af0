/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * live_collection.h -- what the collector says of the objects in the tables
 * of live_table.h.
 *
 * An object is alive as of a collection if that marked it, or kept it because
 * a finalizer is to run.  The collector is conservative: a word that looks
 * like the address keeps an object, too.
 *
 * Model.  When all is marked the world is stopped, and each table notes how
 * far it is filled (MARK_END).  When the collector has decided about
 * finalizers, and before it gives any memory out again, one pass goes over all
 * entries up to there (RECLAIM_END); other threads run, and append.  The
 * collector's lock is held at both.  So the pass allocates nothing from the
 * collector, and no lock of the monitor's is needed.
 *
 * What had survived a collection before is noted when it dies
 * (live_deaths.h).
 *
 * Cost: the pass, some nanoseconds an entry.
 */
#ifndef MPROF_LIVE_COLLECTION_H
#define MPROF_LIVE_COLLECTION_H

#include <stdint.h>

#include "lisp/live/live_table.h"

/* Listen to the collector and to the runtime's frees from now on. */
void live_collection_open(void);

/* The collector is to look at the table from now on, or not any more. */
void live_collection_add(struct live_table *);
void live_collection_remove(struct live_table *);

/* The number of the last collection, as the collector counts them; 0: there
 * was none since live_collection_begin.  The collector is disabled. */
uint64_t live_collection_number(void);

/* Forget that number: all entries are forgotten. */
void live_collection_begin(void);

#endif
