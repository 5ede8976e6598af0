/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * collector_balance.h -- what the collector says it gave out, to the byte.
 *
 * GC_get_total_bytes is not that: each thread takes small objects from
 * private free lists (free_lists.h), and the collector counts a whole list
 * when it makes it.  So the bytes that lie on the lists are taken off; and
 * the last pages that the collector swept for lists, which it adds to its
 * counter one page late (when it marks in parallel), are forced into the
 * counter.
 *
 * The figure is exact only if no other thread allocates at the same time: see
 * safepoint.h.
 */
#ifndef MPROF_COLLECTOR_BALANCE_H
#define MPROF_COLLECTOR_BALANCE_H

#include <stdbool.h>
#include <stdint.h>

struct collector_balance {
  uint64_t bytes;  /* given out since the process began, but for a constant */
  bool lists_read; /* the free lists were taken off */
  bool page_settled; /* no swept page is left out of the counter */
  bool at_rest;      /* (monitor) no thread was allocating */
};

/* The bytes on the free lists of all threads, or -1 when these cannot be
 * read; called with the collector's lock held. */
typedef int64_t collector_lists_fn(void *closure);

/* Allocates a page or two from the collector and, when it has no page left to
 * sweep, makes it collect; not inside the hook. */
struct collector_balance collector_balance(collector_lists_fn *lists,
                                           void *closure);

#endif
