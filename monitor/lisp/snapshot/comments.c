/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * comments.c -- what a program states of its figures.
 */
#include "lisp/snapshot/snapshot.h"

#include <inttypes.h>
#include <stdio.h>

#include <ecl/ecl.h>

#include "lisp/balance/reconciliation.h"
#include "lisp/names/kept_objects.h"
#include "lisp/names/lisp_functions.h"

static void
state_count(struct note_list *notes, const char *key, uint64_t n)
{
  note_comment(notes, key, "%" PRIu64, n);
}

/* All requests of the program.  Behind the leaves of a tree in the image are
 * their kinds. */
static struct requests
all_requests(const struct snapshot *snapshot)
{
  struct requests all = snapshot->counters.requests;
  const struct image_piece *piece = NULL;
  while ((piece = snapshot_piece(snapshot, IMAGE_LEAVES, piece)) != NULL) {
    const char *const at = (const char *)piece + IMAGE_PAGE;
    const struct leaf *const leaves = (const void *)at;
    const struct kind *const kinds =
        (const void *)(at + piece->bytes + IMAGE_PAGE);
    for (size_t i = 0; i < piece->bytes / sizeof *leaves; i++)
      requests_add_leaf(&all, &leaves[i], &kinds[leaves[i].kind]);
  }
  return all;
}

/* What the collector, or the runtime in its name, made for itself. */
static uint64_t
record_bytes(const struct counters *c)
{
  struct requests records = {0};
  requests_add(&records, ECL_FINALIZER_RECORD_BYTES, c->finalizers);
  requests_add(&records, ECL_WEAK_LINK_RECORD_BYTES, c->weak_links);
  return records.rounded_bytes + c->thread_record_bytes +
         monitor.collector.table_bytes;
}

/* Where the page that the collector has not yet added cannot be known when
 * counting ends, but was when it began, the difference can be below zero. */
static uint64_t
collector_bytes(void)
{
  const uint64_t bytes = monitor.collector.bytes;
  return (int64_t)bytes < 0 ? 0 : bytes;
}

static void
state_reconciliation(struct note_list *notes, const struct snapshot *snapshot)
{
  const struct counters *const c = &snapshot->counters;
  const struct requests all = all_requests(snapshot);
  const struct reconciliation r = {
      .rounded = all.rounded_bytes,
      .records = record_bytes(c),
      .collector = collector_bytes(),
      .causes = monitor.collector.doubts |
                (c->finalizer_walks > 0 ? BALANCE_FINALIZERS : 0),
      .imported_threads = c->imported_threads,
      .uncounted_threads = c->uncounted_threads};
  state_count(notes, PPROF_COMMENT_MALLOC_BYTES, all.malloc_bytes);
  reconciliation_note(notes, &r);
}

/* What can be missing from chains. */
static void
state_gaps(struct note_list *notes, const struct counters *c)
{
  if (c->overflows > 0)
    note_comment(
        notes, PPROF_COMMENT_UNATTRIBUTED_NOTE,
        "the context budget was used up %" PRIu64
        " times; (mprof:reset) begins anew, and (mprof:start) takes a "
        "larger :max-contexts",
        c->overflows);
  state_count(notes, PPROF_COMMENT_DIFFERING_WALKS, c->differing_walks);
  for (uint32_t i = 0; lisp_functions_other_flags(i) != NULL; i++)
    note_comment(
        notes, PPROF_COMMENT_CHAIN_NOTE,
        "%s was not compiled with this ECL's C compiler flags: functions "
        "that are inlined or end in a call can be missing from chains",
        lisp_functions_other_flags(i));
  if (kept_objects_lost_calls() > 0)
    note_comment(notes, PPROF_COMMENT_CHAIN_NOTE,
                 "calls of byte-compiled functions whose names did not fit: "
                 "%" PRIu64,
                 kept_objects_lost_calls());
}

static void
state_live(struct note_list *notes, const struct snapshot *snapshot)
{
  if (!monitor.follow)
    return;
  state_count(notes, PPROF_COMMENT_LIVE_COLLECTION, snapshot->collection);
  if (snapshot->lost > 0)
    note_comment(
        notes, PPROF_COMMENT_LOST_NOTE,
        "objects that were not followed until they died, or whose freeing "
        "was missed, since memory ran out: %" PRIu64,
        snapshot->lost);
}

void
note_comments(struct note_list *notes, const struct snapshot *snapshot)
{
  const struct counters *const c = &snapshot->counters;
  state_count(notes, PPROF_COMMENT_ALLOCATIONS, c->allocations);
  state_count(notes, PPROF_COMMENT_BYTES, c->bytes);
  if (snapshot->balanced)
    state_reconciliation(notes, snapshot);
  state_gaps(notes, c);
  state_live(notes, snapshot);
  state_count(notes, PPROF_COMMENT_CONTEXTS, c->contexts);
  state_count(notes, PPROF_COMMENT_CONTEXT_BYTES, c->context_bytes);
  state_count(notes, PPROF_COMMENT_THREADS, c->threads);
}
