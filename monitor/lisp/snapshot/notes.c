/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * notes.c -- what a program states of itself when the monitor is opened, and of
 * its figures when they are taken.
 */
#include "lisp/snapshot/snapshot.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include <ecl/ecl.h>

#include "image/image.h"
#include "lisp/balance/reconciliation.h"
#include "lisp/live/live_collection.h"
#include "lisp/live/live_frees.h"
#include "lisp/names/classify.h"
#include "lisp/names/code_functions.h"
#include "lisp/names/kept_objects.h"
#include "lisp/names/lisp_printer.h"

/* ---- the runtime ---- */

bool
note_runtime(void)
{
  char program[300];
  char *const version =
      lisp_printer_copy(cl_lisp_implementation_version(), NAMED_THREAD);
  if (version == NULL)
    return false;
  snprintf(program, sizeof program, "ECL %s", version);
  free(version);
  image_note(NOTE_PROGRAM, 0, 0, 0, program);
  image_note(NOTE_ROOT, 0, 0, 0, MPROF_ROOT_FUNCTION);
  classify_note_types();
  return true;
}

/* ---- figures ---- */

static void
state_count(struct note_list *notes, const char *key, uint64_t n)
{
  note_comment(notes, key, "%" PRIu64, n);
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
state_reconciliation(struct note_list *notes, const struct counters *c)
{
  const struct reconciliation r = {
      .rounded = c->requests.rounded_bytes,
      .records = record_bytes(c),
      .collector = collector_bytes(),
      .causes = monitor.collector.doubts |
                (c->finalizer_walks > 0 ? BALANCE_FINALIZERS : 0),
      .imported_threads = c->imported_threads,
      .uncounted_threads = c->uncounted_threads};
  state_count(notes, PPROF_COMMENT_MALLOC_BYTES, c->requests.malloc_bytes);
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
  if (kept_objects_lost_calls() > 0)
    note_comment(notes, PPROF_COMMENT_CHAIN_NOTE,
                 "calls of byte-compiled functions whose names did not fit: "
                 "%" PRIu64,
                 kept_objects_lost_calls());
}

/* The threads stand still. */
void
note_live_comments(struct note_list *notes)
{
  uint64_t lost = live_frees_lost();
  for (const struct thread_state *t = monitor.threads; t != NULL; t = t->next)
    lost += t->live.lost + t->live.misplaced;
  if (!monitor.follow)
    return;
  state_count(notes, PPROF_COMMENT_LIVE_COLLECTION, live_collection_number());
  if (lost > 0)
    note_comment(
        notes, PPROF_COMMENT_LOST_NOTE,
        "objects that were not followed until they died, or whose freeing "
        "was missed, since memory ran out: %" PRIu64,
        lost);
}

void
note_comments(struct note_list *notes, const struct snapshot *snapshot)
{
  const struct counters *const c = &snapshot->counters;
  state_count(notes, PPROF_COMMENT_ALLOCATIONS, c->allocations);
  state_count(notes, PPROF_COMMENT_BYTES, c->bytes);
  if (snapshot->balanced)
    state_reconciliation(notes, c);
  state_gaps(notes, c);
  state_count(notes, PPROF_COMMENT_CONTEXTS, c->contexts);
  state_count(notes, PPROF_COMMENT_CONTEXT_BYTES, c->context_bytes);
  state_count(notes, PPROF_COMMENT_THREADS, c->threads);
}
