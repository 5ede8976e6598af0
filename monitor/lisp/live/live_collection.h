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
 * What had survived a collection before is noted when it dies.
 *
 * Cost: the pass, some nanoseconds an entry.
 */
#ifndef MPROF_LIVE_COLLECTION_H
#define MPROF_LIVE_COLLECTION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lisp/live/live_table.h"

/* Listen to the collector and to the runtime's frees from now on. */
void live_collection_open(void);

/* The collector is to look at the table from now on, or not any more. */
void live_collection_add(struct live_table *);
void live_collection_remove(struct live_table *);

/* Forget all entries.  The thread is not inside the hook. */
void live_collection_clear(struct live_table *);

/* The number of the last collection, as the collector counts them; 0: there
 * was none since live_collection_begin.  The collector is disabled. */
uint64_t live_collection_number(void);

/* Forget that number: all entries are forgotten. */
void live_collection_begin(void);

/* The newest entry of the object or body at `memory' is at another leaf now.
 * Its thread calls it, also inside the hook: it looks for it among all
 * entries, with the collector's lock, so it is for what happens rarely. */
void live_collection_move(struct live_table *, const void *memory,
                          ptrdiff_t leaf);

/* Call `visit' with each entry, and whether its memory was freed since.  The
 * collector is disabled, the thread not inside the hook, and it is between
 * live_frees_begin and _end. */
typedef void live_visit_fn(void *closure, const struct live_entry *,
                           bool freed);
void live_collection_each(struct live_table *, live_visit_fn *visit,
                          void *closure);

/* Add what died and what lives to `sums', by leaf, but for what died before
 * its first collection.  As above. */
void live_collection_sum(struct live_table *, struct live_survival *sums);

#endif
