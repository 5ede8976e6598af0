/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * collector_balance.c -- see the header for the model.
 */
#include "balance/collector_balance.h"

/* For GC_get_prof_stats_unsafe; our own threads are none of its business. */
#define GC_THREADS
#define GC_NO_THREAD_REDIRECTS
#include <gc/gc.h>
#include <gc/gc_tiny_fl.h>
#include <stdbool.h>

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
  return bytes;
}

/* The collector's sums: bytes given out, and bytes found by sweeping since
 * the last collection; the latter can be below zero, and then reads as
 * zero. */
struct sums {
  uint64_t total, found;
};

static struct sums
read_sums(void)
{
  struct GC_prof_stats_s stats;
  GC_get_prof_stats(&stats, sizeof stats);
  return (struct sums){
    .total = stats.allocd_bytes_before_gc + stats.bytes_allocd_since_gc,
    .found = stats.bytes_reclaimed_since_gc
  };
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
settle_page(uint64_t *own_bytes, uint64_t *late)
{
  struct sums sums = read_sums();
  for (size_t g = GC_TINY_FREELISTS - 1; g > 0; g--) {
    uint64_t took, counted;
    do {
      const struct sums before = sums;
      *own_bytes += took = take_list(g);
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

struct reading {
  collector_bytes_fn *lists, *tables;
  uint64_t total;
  int64_t listed, in_tables;
};

/* The collector's lock is held: no list is made and no collection begins. */
static void *
read_both(void *data)
{
  struct reading *r = data;
  struct GC_prof_stats_s stats;
  GC_get_prof_stats_unsafe(&stats, sizeof stats);
  r->total = stats.allocd_bytes_before_gc + stats.bytes_allocd_since_gc;
  r->listed = r->lists();
  r->in_tables = r->tables();
  return NULL;
}

struct collector_balance
collector_balance(uint64_t *own_bytes, collector_bytes_fn *lists,
                  collector_bytes_fn *tables)
{
  struct collector_balance b = { 0 };
  struct reading reading = { .lists = lists, .tables = tables };
  uint64_t late = 0;

  /* A collector that marks by one thread adds a page at once. */
  if (GC_get_gc_no() != 0 && GC_get_parallel() != 0 &&
      !settle_page(own_bytes, &late)) {
    /* every page is swept: a collection makes new ones to sweep */
    GC_gcollect();
    if (!settle_page(own_bytes, &late))
      b.doubts |= BALANCE_PAGE;
  }
  GC_call_with_alloc_lock(read_both, &reading);
  b.bytes = reading.total + late - *own_bytes;
  if (reading.listed >= 0)
    b.bytes -= (uint64_t)reading.listed;
  else
    b.doubts |= BALANCE_LISTS;
  if (reading.in_tables >= 0)
    b.table_bytes = (uint64_t)reading.in_tables;
  else
    b.doubts |= BALANCE_TABLES;
  return b;
}
