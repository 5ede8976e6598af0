/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * collector_balance.c -- see the header for the model. */
#include "lisp/balance/collector_balance.h"

#include "lisp/balance/collector_data.h"

/* For GC_get_prof_stats_unsafe; our own threads are none of its business. */
#define GC_THREADS
#define GC_NO_THREAD_REDIRECTS
#include <gc/gc.h>
#include <gc/gc_tiny_fl.h>
#include <stdbool.h>

static uint64_t own_bytes; /* that were allocated here */

/* Take one list of objects from the collector; its bytes. */
static uint64_t
take_list(size_t granules)
{
  size_t size = granules * GC_GRANULE_BYTES;
  uint64_t bytes = 0;
  void *next;
  for (void *o = GC_malloc_many(size); o != NULL; o = next) {
    next = GC_NEXT(o);
    GC_NEXT(o) = NULL;
    bytes += size;
  }
  own_bytes += bytes;
  return bytes;
}

/* The collector's sums of bytes given out, and found by sweeping since the
 * last collection; the latter reads as zero while it is below. */
struct sums {
  uint64_t total, found;
};

static struct sums
read_sums(void)
{
  struct GC_prof_stats_s stats;
  GC_get_prof_stats(&stats, sizeof stats);
  return (struct sums){.total = stats.allocd_bytes_before_gc +
                                stats.bytes_allocd_since_gc,
                       .found = stats.bytes_reclaimed_since_gc};
}

/* Take lists until the collector sweeps a page for one.  That list is not in
 * its counter yet, but what was late before is now; any other list is counted
 * at once.  *late gets the bytes of the swept list; false when no page was
 * left to sweep.
 *
 * A list that is swept is among what the collector says that it found; that
 * cannot be seen while the sum is below zero.  A list that is counted makes
 * the counter grow by it at least; by more when a page was swept before in
 * which nothing is free, for then what was late is added, and the list comes
 * from elsewhere.  So if the counter has grown by more, and nothing was
 * found, the next page decides.
 *
 * Full pages are rarely among those to sweep, for the collector leaves them
 * alone.  But its threads count marks without a lock, and one that is held up
 * in the middle of that takes the others' count back. */
static bool
settle_page(uint64_t *late)
{
  struct sums sums = read_sums();
  for (size_t g = GC_TINY_FREELISTS - 1; g > 0; g--) {
    uint64_t took, counted;
    do {
      const struct sums before = sums;
      took = take_list(g);
      sums = read_sums();
      counted = sums.total - before.total;
      if (counted < took || (took > 0 && sums.found - before.found == took)) {
        *late = took;
        return true;
      }
    } while (counted > took);
  }
  return false;
}

/* Adds the sums, which it takes under the collector's lock: no list is made
 * and no collection begins. */
static void
add_sums(struct collector_balance *b, int64_t (*lists)(void))
{
  struct GC_prof_stats_s stats;
  int64_t listed, in_tables;
  GC_alloc_lock();
  listed = lists();
  in_tables = collector_table_bytes();
  GC_get_prof_stats_unsafe(&stats, sizeof stats);
  GC_alloc_unlock();
  b->bytes +=
      stats.allocd_bytes_before_gc + stats.bytes_allocd_since_gc - own_bytes;
  if (listed >= 0)
    b->bytes -= (uint64_t)listed;
  else
    b->doubts |= BALANCE_LISTS;
  if (in_tables >= 0)
    b->table_bytes = (uint64_t)in_tables;
  else
    b->doubts |= BALANCE_TABLES;
}

struct collector_balance
collector_balance(int64_t (*lists)(void))
{
  struct collector_balance b = {0};
  /* A collector that marks by one thread adds a page at once. */
  if (GC_get_gc_no() != 0 && GC_get_parallel() != 0 &&
      !settle_page(&b.bytes)) {
    /* every page is swept: a collection makes new ones to sweep */
    GC_gcollect();
    if (!settle_page(&b.bytes))
      b.doubts |= BALANCE_PAGE;
  }
  add_sums(&b, lists);
  return b;
}

struct collector_balance
collector_balance_forked(int64_t (*lists)(void))
{
  struct collector_balance b = {.doubts = BALANCE_FORK};
  add_sums(&b, lists);
  return b;
}
