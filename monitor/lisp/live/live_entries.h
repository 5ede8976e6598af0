/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * live_entries.h -- what is done to the entries of live_table.h at other times
 * than at the end of a collection: with the collector's lock, or while that is
 * disabled, so never at the same time.
 */
#ifndef MPROF_LIVE_ENTRIES_H
#define MPROF_LIVE_ENTRIES_H

#include <stddef.h>
#include <stdint.h>

#include "lisp/live/live_deaths.h"

/* Forget all entries.  Its thread is not inside the hook. */
void live_entries_clear(struct live_table *);

/* The newest entry of the object or body at `memory' is at another leaf now.
 * Its thread calls it, also inside the hook: it looks for it among all
 * entries, with the collector's lock, so it is for what happens rarely. */
void live_entries_move(struct live_table *, const void *memory,
                       ptrdiff_t leaf);

/* Call `visit' with each entry, and whether its memory was freed since.  The
 * collector is disabled, the thread not inside the hook, and it is between
 * live_frees_begin and _end. */
typedef void live_visit_fn(void *closure, const struct live_entry *,
                           bool freed);
void live_entries_each(struct live_table *, live_visit_fn *visit,
                       void *closure);

/* Add what died and what lives to `sums', by leaf, but for what died before
 * its first collection: see live_deaths.h.  As above. */
void live_entries_sum(struct live_table *, struct live_survival *sums);

#endif
