/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * lisp_comments.c -- the comments of a Lisp profile.
 *
 * The reconciliation.  The collector counts what its free lists gave away,
 * with its rounding; we count requests.  So each request is rounded as the
 * collector does, and what it made for itself is added (records of
 * finalizers, weak links and threads; tables of these links):
 *
 *     residual = collector_bytes - rounded_bytes - collector_record_bytes
 *
 * It is 0 but for what a note names.
 */
#include "write/lisp_profile.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

#include <ecl/ecl.h>

#include "names/code_functions.h"
#include "names/kept_objects.h"
#include "names/lisp_functions.h"
#include "threads/threads.h"

#ifndef MPROF_VERSION
#error "MPROF_VERSION is not defined"
#endif

static void __attribute__((format(printf, 3, 4)))
put_note(struct pprof_stream *p, const char *key, const char *format, ...)
{
  char text[512];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  pprof_put_comment(p, key, text);
}

/* All requests of the program. */
static struct requests
all_requests(const struct lisp_figures *figures)
{
  struct requests all = figures->counters.requests;
  for (size_t n = 0; n < figures->thread_count; n++) {
    const struct thread_figures *const t = &figures->threads[n];
    for (uint32_t i = 1; i < t->leaf_count; i++) {
      const struct leaf leaf = lisp_figures_leaf(t, i);
      requests_add_leaf(&all, &leaf,
                        context_tree_kind(&t->tree, &leaf));
    }
  }
  return all;
}

/* What the collector, or the runtime in its name, made for itself. */
static uint64_t
record_bytes(const struct counters *c)
{
  struct requests records = { 0 };
  requests_add(&records, ECL_FINALIZER_RECORD_BYTES, c->finalizers);
  requests_add(&records, ECL_WEAK_LINK_RECORD_BYTES, c->weak_links);
  return requests_rounded_bytes(&records) + c->thread_record_bytes +
         monitor.collector.table_bytes;
}

/* What a residual can be made of. */
static void
put_residual_notes(struct pprof_stream *p, const struct counters *c)
{
  char imported[128], uncounted[128];
  const struct {
    bool applies;
    const char *text;
  } notes[] = {
    { (monitor.collector.doubts & BALANCE_REST) != 0,
      "a thread could not be paused when counting began or ended: an object "
      "that it was taking, or the free list that it took it from" },
    { c->imported_threads > 0, imported },
    { c->uncounted_threads > 0, uncounted },
    { (monitor.collector.doubts & BALANCE_PAGE) != 0,
      "up to 4096 bytes of a page that the collector has swept but not yet "
      "added" },
    { (monitor.collector.doubts & BALANCE_FORK) != 0,
      "a fork: an object that another thread was taking, or its free list, "
      "and up to 4096 bytes of a page that the collector had swept and never "
      "adds" },
    { (monitor.collector.doubts & BALANCE_LISTS) != 0,
      "the threads' free lists in the collector could not be read" },
    { (monitor.collector.doubts & BALANCE_TABLES) != 0,
      "growth of the collector's tables of finalizers and weak links, which "
      "could not be read" },
    { c->finalizer_walks > 0,
      "free lists that the collector drops when a finalizer allocates during "
      "their construction" },
  };
  bool known = false;
  snprintf(imported, sizeof imported,
           "memory that the runtime allocated for %u threads, created by C "
           "code, before they were imported",
           c->imported_threads);
  snprintf(uncounted, sizeof uncounted,
           "threads that are not counted, since memory ran out when they "
           "started: %u",
           c->uncounted_threads);
  for (size_t i = 0; i < sizeof notes / sizeof *notes; i++)
    if (notes[i].applies) {
      pprof_put_comment(p, PPROF_COMMENT_RESIDUAL_NOTE, notes[i].text);
      known = true;
    }
  if (!known)
    pprof_put_comment(p, PPROF_COMMENT_RESIDUAL_NOTE,
                      "not known: please report this");
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
put_reconciliation(struct pprof_stream *p, const struct lisp_figures *figures)
{
  const struct counters *const c = &figures->counters;
  const struct requests all = all_requests(figures);
  const uint64_t rounded = requests_rounded_bytes(&all);
  const uint64_t records = record_bytes(c), collector = collector_bytes();
  const int64_t residual = (int64_t)(collector - rounded - records);
  pprof_put_count(p, PPROF_COMMENT_MALLOC_BYTES, all.malloc_bytes);
  pprof_put_count(p, PPROF_COMMENT_ROUNDED_BYTES, rounded);
  pprof_put_count(p, PPROF_COMMENT_COLLECTOR_BYTES, collector);
  pprof_put_count(p, PPROF_COMMENT_COLLECTOR_RECORD_BYTES, records);
  put_note(p, PPROF_COMMENT_RESIDUAL_BYTES, "%" PRId64, residual);
  if (residual != 0)
    put_residual_notes(p, c);
}

static void
put_unattributed(struct pprof_stream *p, const struct counters *c,
                 const struct sample_writer *samples)
{
  pprof_put_count(p, PPROF_COMMENT_UNATTRIBUTED_ALLOCATIONS,
                  samples->unattributed_count);
  pprof_put_count(p, PPROF_COMMENT_UNATTRIBUTED_BYTES,
                  samples->unattributed_bytes);
  if (c->overflows > 0)
    put_note(p, PPROF_COMMENT_UNATTRIBUTED_NOTE,
             "the context budget was used up %" PRIu64
             " times; (mprof:reset) begins anew, and (mprof:start) takes a "
             "larger :max-contexts",
             c->overflows);
}

/* What can be missing from chains, and names that are. */
static void
put_gaps(struct pprof_stream *p, const struct counters *c,
         const struct sample_writer *samples, uint64_t classless_count)
{
  pprof_put_count(p, PPROF_COMMENT_CUT_ALLOCATIONS, samples->cut_count);
  pprof_put_count(p, PPROF_COMMENT_DIFFERING_WALKS, c->differing_walks);
  for (uint32_t i = 0; lisp_functions_other_flags(i) != NULL; i++)
    put_note(p, PPROF_COMMENT_CHAIN_NOTE,
             "%s was not compiled with this ECL's C compiler flags: "
             "functions that are inlined or end in a call can be missing "
             "from chains",
             lisp_functions_other_flags(i));
  if (kept_objects_lost_calls() > 0)
    put_note(p, PPROF_COMMENT_CHAIN_NOTE,
             "calls of byte-compiled functions whose names did not fit: "
             "%" PRIu64,
             kept_objects_lost_calls());
  if (classless_count > 0)
    put_note(p, PPROF_COMMENT_CLASS_NOTE,
             "objects whose class name did not fit: %" PRIu64,
             classless_count);
}

static void
put_live(struct pprof_stream *p, const struct lisp_figures *figures)
{
  if (!monitor.follow)
    return;
  pprof_put_count(p, PPROF_COMMENT_LIVE_COLLECTION, figures->collection);
  if (figures->lost > 0)
    put_note(p, PPROF_COMMENT_LOST_NOTE,
             "objects that were not followed until they died, or whose "
             "freeing was missed, since memory ran out: %" PRIu64,
             figures->lost);
}

void
lisp_comments_put(struct pprof_stream *p, const struct lisp_figures *figures,
                  const struct sample_writer *samples,
                  uint64_t classless_count)
{
  const struct counters *const c = &figures->counters;
  pprof_put_comment(p, PPROF_COMMENT_VERSION, MPROF_VERSION);
  pprof_put_comment(p, PPROF_COMMENT_LANGUAGE, "lisp");
  put_note(p, PPROF_COMMENT_PROGRAM, "ECL %s", monitor.runtime_version);
  pprof_put_comment(p, PPROF_COMMENT_ROOT, MPROF_ROOT_FUNCTION);
  pprof_put_count(p, PPROF_COMMENT_ALLOCATIONS, c->allocations);
  pprof_put_count(p, PPROF_COMMENT_BYTES, c->bytes);
  if (figures->balanced)
    put_reconciliation(p, figures);
  put_unattributed(p, c, samples);
  put_gaps(p, c, samples, classless_count);
  put_live(p, figures);
  region_table_comments(&monitor.regions, false, pprof_put_region, p);
  pprof_put_count(p, PPROF_COMMENT_CONTEXTS, c->contexts);
  pprof_put_count(p, PPROF_COMMENT_CONTEXT_BYTES, c->context_bytes);
  pprof_put_count(p, PPROF_COMMENT_THREADS, c->threads);
}
