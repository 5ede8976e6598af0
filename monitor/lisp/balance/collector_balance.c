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
#include <inttypes.h>
#include <stdbool.h>

#include "common/pprof_format.h"

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

struct question {
  int64_t (*lists)(void);
  struct collector_balance answer;
};

/* Takes the sums under the collector's lock: no list is made and no
 * collection begins. */
static void *
answer(void *data)
{
  struct question *const q = data;
  const int64_t listed = q->lists(), in_tables = collector_table_bytes();
  struct GC_prof_stats_s stats;
  GC_get_prof_stats_unsafe(&stats, sizeof stats);
  q->answer.bytes +=
      stats.allocd_bytes_before_gc + stats.bytes_allocd_since_gc - own_bytes;
  if (listed >= 0)
    q->answer.bytes -= (uint64_t)listed;
  else
    q->answer.doubts |= BALANCE_LISTS;
  if (in_tables >= 0)
    q->answer.table_bytes = (uint64_t)in_tables;
  else
    q->answer.doubts |= BALANCE_TABLES;
  return NULL;
}

struct collector_balance
collector_balance(int64_t (*lists)(void))
{
  struct question q = {.lists = lists};
  /* A collector that marks by one thread adds a page at once. */
  if (GC_get_gc_no() != 0 && GC_get_parallel() != 0 &&
      !settle_page(&q.answer.bytes)) {
    /* every page is swept: a collection makes new ones to sweep */
    GC_gcollect();
    if (!settle_page(&q.answer.bytes))
      q.answer.doubts |= BALANCE_PAGE;
  }
  GC_call_with_alloc_lock(answer, &q);
  return q.answer;
}

struct collector_balance
collector_balance_forked(int64_t (*lists)(void))
{
  struct question q = {.lists = lists, .answer.doubts = BALANCE_FORK};
  GC_call_with_alloc_lock(answer, &q);
  return q.answer;
}

/* ---- reconciliation ---- */

/* The texts of the bits of `causes', in the order of the notes. */
static const struct {
  enum balance_doubt cause;
  const char *text;
} texts[] = {
    {BALANCE_PAGE,
     "up to 4096 bytes of a page that the collector has swept but not yet "
     "added"},
    {BALANCE_FORK,
     "a fork: an object that another thread was taking, or its free list, "
     "and up to 4096 bytes of a page that the collector had swept and never "
     "adds"},
    {BALANCE_LISTS,
     "the threads' free lists in the collector could not be read"},
    {BALANCE_TABLES,
     "growth of the collector's tables of finalizers and weak links, which "
     "could not be read"},
    {BALANCE_FINALIZERS,
     "free lists that the collector drops when a finalizer allocates during "
     "their construction"},
};

/* Notes what the residual can be made of. */
static void
note_causes(struct note_list *notes, const struct reconciliation *r)
{
  static const char key[] = PPROF_COMMENT_RESIDUAL_NOTE;
  if ((r->causes & BALANCE_REST) != 0)
    note_comment(
        notes, key,
        "a thread could not be paused when counting began or ended: "
        "an object that it was taking, or the free list that it took "
        "it from");
  if (r->imported_threads > 0)
    note_comment(notes, key,
                 "memory that the runtime allocated for %u threads, created "
                 "by C code, before they were imported",
                 r->imported_threads);
  if (r->uncounted_threads > 0)
    note_comment(notes, key,
                 "threads that are not counted, since memory ran out when "
                 "they started: %u",
                 r->uncounted_threads);
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
    if ((r->causes & texts[i].cause) != 0)
      note_comment(notes, key, "%s", texts[i].text);
  if (r->causes == 0 && r->imported_threads == 0 && r->uncounted_threads == 0)
    note_comment(notes, key, "not known: please report this");
}

void
reconciliation_note(struct note_list *notes, const struct reconciliation *r)
{
  const int64_t residual = (int64_t)(r->collector - r->rounded - r->records);
  note_comment(notes, PPROF_COMMENT_ROUNDED_BYTES, "%" PRIu64, r->rounded);
  note_comment(notes, PPROF_COMMENT_COLLECTOR_BYTES, "%" PRId64,
               (int64_t)r->collector);
  note_comment(notes, PPROF_COMMENT_COLLECTOR_RECORD_BYTES, "%" PRId64,
               (int64_t)r->records);
  note_comment(notes, PPROF_COMMENT_RESIDUAL_BYTES, "%" PRId64, residual);
  if (residual != 0)
    note_causes(notes, r);
}
