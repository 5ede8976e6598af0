/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * collector_balance.h -- what the collector says it gave out, to the byte.
 *
 * GC_get_total_bytes is not that: each thread takes small objects from a
 * private free list, and the collector counts a whole list when it makes it.
 * So the bytes that lie on the calling thread's lists are counted here and
 * taken off; and the last page that the collector swept for a list, which it
 * adds to its counter one page late (when it marks in parallel), is forced
 * into the counter.
 *
 * Limits.  Other threads' lists cannot be read from outside; with more than
 * one thread their changes are part of the residual.  The layout of the lists
 * is the collector's private affair (bdwgc 8.x): it is checked, and when it is
 * not as expected the lists are left out and `exact' says so.
 */
#ifndef MPROF_COLLECTOR_BALANCE_H
#define MPROF_COLLECTOR_BALANCE_H

#include <stdbool.h>
#include <stdint.h>

struct collector_balance {
  uint64_t bytes;     /* given out since the process began, but for a constant */
  bool lists_read;    /* this thread's free lists were taken off */
  bool page_settled;  /* no swept page is left out of the counter */
};

/* Allocates a page or two from the collector and, when it has no page left to
 * sweep, makes it collect; not inside the hook. */
struct collector_balance collector_balance(void);

#endif
