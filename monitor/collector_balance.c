/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * collector_balance.c -- see the header for the model.
 */
#include "collector_balance.h"

/* For GC_get_prof_stats_unsafe; our own threads are none of its business. */
#define GC_THREADS
#define GC_NO_THREAD_REDIRECTS
#include <gc/gc.h>
#include <gc/gc_tiny_fl.h>

/* Bytes that this process took from the collector only to look at it. */
static uint64_t own_bytes;

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

/* Take lists until the collector sweeps a page for one.  That list is not in
 * its counter yet, but what was late before is now; any other list is counted
 * at once.  *late gets the bytes of the swept list; false when no page was
 * left to sweep. */
static bool
settle_page(uint64_t *late)
{
  uint64_t total = GC_get_total_bytes();
  for (size_t g = GC_TINY_FREELISTS - 1; g > 0; g--) {
    uint64_t before = total, took = take_list(g);
    own_bytes += took;
    total = GC_get_total_bytes();
    if (took > 0 && total - before != took) {
      *late = took;
      return true;
    }
  }
  return false;
}

struct reading {
  collector_lists_fn *lists;
  void *closure;
  uint64_t total;
  int64_t listed;
};

/* The collector's lock is held: no list is made and no collection begins. */
static void *
read_both(void *data)
{
  struct reading *r = data;
  struct GC_prof_stats_s stats;
  GC_get_prof_stats_unsafe(&stats, sizeof stats);
  r->total = stats.allocd_bytes_before_gc + stats.bytes_allocd_since_gc;
  r->listed = r->lists(r->closure);
  return NULL;
}

struct collector_balance
collector_balance(collector_lists_fn *lists, void *closure)
{
  struct collector_balance b = {.page_settled = GC_get_gc_no() == 0};
  struct reading reading = {.lists = lists, .closure = closure};
  uint64_t late = 0;

  if (!b.page_settled && !(b.page_settled = settle_page(&late))) {
    /* every page is swept: a collection makes new ones to sweep */
    GC_gcollect();
    b.page_settled = settle_page(&late);
  }
  GC_call_with_alloc_lock(read_both, &reading);
  b.lists_read = reading.listed >= 0;
  b.bytes = reading.total + late - own_bytes;
  if (b.lists_read)
    b.bytes -= (uint64_t)reading.listed;
  return b;
}
