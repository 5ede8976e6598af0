/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * snapshot.c -- an image that grows by a piece at a time; the notes are the
 * last.
 */
#include "lisp/snapshot/snapshot.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <ecl/ecl.h>

#include "common/pprof_format.h"
#include "image/image.h"
#include "lisp/balance/collector_balance.h"
#include "lisp/live/live_table.h"
#include "lisp/names/classify.h"
#include "lisp/names/code_functions.h"
#include "lisp/names/kept_objects.h"
#include "lisp/names/lisp_printer.h"

#ifndef MPROF_VERSION
#error "MPROF_VERSION is not defined"
#endif

_Static_assert(sizeof(struct image_live) == sizeof(struct live_figures),
               "the same figures in the same order");

/* ---- notes of the runtime ---- */

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

/* ---- notes of figures ---- */

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
static void
state_reconciliation(struct note_list *notes, const struct counters *c)
{
  const uint64_t bytes = monitor.collector.bytes;
  const struct reconciliation r = {
      .rounded = c->requests.rounded_bytes,
      .records = record_bytes(c),
      .collector = (int64_t)bytes < 0 ? 0 : bytes,
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

/* What is known of live objects.  The threads stand still. */
static void
note_live_comments(struct note_list *notes)
{
  uint64_t lost = 0;
  for (const struct thread_state *t = monitor.threads; t != NULL; t = t->next)
    lost += t->live.lost + t->live.misplaced;
  if (!monitor.follow)
    return;
  state_count(notes, PPROF_COMMENT_LIVE_COLLECTION, live.number);
  if (lost > 0)
    note_comment(
        notes, PPROF_COMMENT_LOST_NOTE,
        "objects that were not followed until they died, since memory ran "
        "out: %" PRIu64,
        lost);
}

static void
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

/* ---- pieces ---- */

static size_t
whole_pages(size_t bytes)
{
  return (bytes + IMAGE_LEAST_PAGE - 1) & ~(size_t)(IMAGE_LEAST_PAGE - 1);
}

/* Room for the bytes of a piece, all zero, until the next one; NULL: there is
 * no memory. */
static void *
add_piece(struct snapshot *s, enum image_kind kind, uint32_t owner,
          size_t bytes)
{
  const size_t at = s->length;
  bytes = whole_pages(bytes);
  if (s->failed || arena_grow(&s->contents, at + IMAGE_LEAST_PAGE + bytes) != 0) {
    s->failed = true;
    return NULL;
  }
  s->length += IMAGE_LEAST_PAGE + bytes;
  *(struct image_piece *)((char *)s->contents.base + at) =
      (struct image_piece){.magic = IMAGE_PIECE_MAGIC,
                           .kind = kind,
                           .owner = owner,
                           .bytes = bytes};
  return (char *)s->contents.base + at + IMAGE_LEAST_PAGE;
}

/* The same for an array that is there. */
static void
add_array(struct snapshot *s, enum image_kind kind, uint32_t owner,
          const void *array, size_t bytes)
{
  void *const place = add_piece(s, kind, owner, bytes);
  if (place != NULL && bytes != 0)
    memcpy(place, array, bytes);
}

/* ---- figures ---- */

/* Adds what is alive of each leaf, as of the last collection, and what was at
 * the peak. */
static void
add_live(struct snapshot *s, struct thread_state *t)
{
  struct live_figures *const sums =
      add_piece(s, IMAGE_LIVE_FIGURES, t->tree.owner,
                t->tree.leaf_count * sizeof *sums);
  if (sums != NULL)
    live_table_sum(&t->live, sums);
}

static void
add_thread(struct snapshot *s, struct thread_state *t)
{
  const struct context_tree *const tree = &t->tree;
  add_array(s, IMAGE_CONTEXTS, tree->owner, tree->contexts,
            tree->context_count * sizeof *tree->contexts);
  add_array(s, IMAGE_LEAVES, tree->owner, tree->leaves,
            tree->leaf_count * sizeof *tree->leaves);
  add_array(s, IMAGE_KINDS, tree->owner, tree->kinds,
            tree->kind_count * sizeof *tree->kinds);
  if (live_table_is_open(&t->live))
    add_live(s, t);
  for (uint32_t i = 0; i < tree->leaf_count && s->balanced; i++)
    requests_add_leaf(&s->counters.requests, &tree->leaves[i],
                      context_tree_kind(tree, &tree->leaves[i]));
}

/* With an eighth more, for what is new until the threads are stopped. */
bool
snapshot_reserve(struct snapshot *s)
{
  size_t bytes = IMAGE_LEAST_PAGE;
  for (const struct thread_state *t = monitor.threads; t != NULL; t = t->next)
    bytes += 8 * IMAGE_LEAST_PAGE + t->tree.context_count * sizeof(struct context) +
             t->tree.kind_count * sizeof(struct kind) +
             t->tree.leaf_count *
                 (sizeof(struct leaf) + (live_table_is_open(&t->live)
                                             ? sizeof(struct live_figures)
                                             : 0));
  return arena_reserve_pages(&s->contents, whole_pages(bytes + bytes / 8)) ==
         0;
}

static void
add_head(struct snapshot *s)
{
  struct image_head *const head = s->contents.base;
  *head = (struct image_head){.version = IMAGE_VERSION,
                              .page = IMAGE_LEAST_PAGE,
                              .language = IMAGE_LISP,
                              .flags = monitor.follow ? IMAGE_LIVE : 0,
                              .process = (uint32_t)getpid()};
  memcpy(head->magic, IMAGE_MAGIC, sizeof head->magic);
  snprintf(head->mprof, sizeof head->mprof, "%s", MPROF_VERSION);
  s->length = IMAGE_LEAST_PAGE;
}

bool
snapshot_take(struct snapshot *s)
{
  const struct region_table *const regions = &monitor.regions;
  add_head(s);
  s->counters = threads_counters();
  note_live_comments(&s->notes);
  for (struct thread_state *t = monitor.threads; t != NULL; t = t->next)
    if (thread_has_counted(t))
      add_thread(s, t);
  if (regions->count > 0)
    add_array(s, IMAGE_REGIONS, 1, regions->regions,
              regions->count * sizeof *regions->regions);
  return !s->failed;
}

/* ---- the graph ---- */

static void
add_roots(struct snapshot *s, const struct live_graph *g)
{
  struct image_root *const to =
      add_piece(s, IMAGE_ROOTS, 1, (g->root_count + (size_t)1) * sizeof *to);
  if (to == NULL)
    return;
  to[0].object = g->root_count;
  for (uint32_t i = 0; i < g->root_count; i++) {
    const struct root *const root = graph_root(g, i);
    to[i + 1] = (struct image_root){root->object, root_level(root), i + 1};
  }
}

static void
add_graph(struct snapshot *s, const struct live_graph *g)
{
  add_array(s, IMAGE_OBJECTS, 1, g->objects.base,
            (g->addresses.count + (size_t)2) * sizeof(struct image_object));
  add_array(s, IMAGE_REFERENCES, 1, g->references.base,
            g->reference_count * sizeof(uint32_t));
  add_roots(s, g);
  add_array(s, IMAGE_BODIES, 1, g->bodies.base,
            (g->body_count + (size_t)1) * sizeof(struct image_body));
  add_array(s, IMAGE_OUTSIDE, 1, g->outside.base,
            (g->outside_count + (size_t)1) * sizeof(struct image_object));
}

/* ---- the whole ---- */

bool
snapshot_complete(struct snapshot *s, const struct live_graph *graph)
{
  struct note_list *const notes = &s->notes;
  image_copy_notes(notes);
  kept_objects_note_classes(notes);
  note_comments(notes, s);
  if (graph != NULL)
    add_graph(s, graph);
  add_array(s, IMAGE_NOTES, 1, notes->arena.base, notes->used);
  return !s->failed && !notes->failed;
}

void
snapshot_release(struct snapshot *s)
{
  arena_release(&s->contents);
  arena_release(&s->notes.arena);
  *s = (struct snapshot){0};
}
