/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * snapshot.c -- an image that grows by an array at a time, a part each; the
 * notes are the last. */
#include "lisp/snapshot/snapshot.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <ecl/ecl.h>

#include "common/pprof_format.h"
#include "lisp/balance/collector_balance.h"
#include "lisp/live/live_table.h"
#include "lisp/names/classify.h"
#include "lisp/names/code_functions.h"
#include "lisp/names/kept_objects.h"
#include "lisp/names/lisp_printer.h"

_Static_assert(sizeof(struct image_live) == sizeof(struct live_figures),
               "the same figures in the same order");

/* ---- notes of the runtime ---- */

bool
note_runtime(void)
{
  struct lisp_printer out = {0};
  const char *program;
  lisp_printer_text(&out, "ECL ");
  lisp_printer_name(&out, cl_lisp_implementation_version(), NAMED_THREAD);
  program = lisp_printer_end(&out);
  if (program != NULL) {
    image_note(NOTE_PROGRAM, 0, 0, 0, program);
    image_note(NOTE_ROOT, 0, 0, 0, MPROF_ROOT_FUNCTION);
    classify_note_types();
  }
  arena_release(&out.text);
  return program != NULL;
}

/* ---- notes of figures ---- */

static void
note_count(struct note_list *notes, const char *key, uint64_t n)
{
  note_comment(notes, key, "%" PRIu64, n);
}

/* Returns the bytes of what the collector, or the runtime in its name, made
 * for itself. */
static uint64_t
record_bytes(const struct counters *c)
{
  struct requests records = {0};
  requests_add(&records, ECL_FINALIZER_RECORD_BYTES, c->finalizers);
  requests_add(&records, ECL_WEAK_LINK_RECORD_BYTES, c->weak_links);
  return records.rounded_bytes + c->thread_record_bytes +
         monitor.collector.table_bytes;
}

/* The texts of what makes up a residual, in the order of the notes. */
static const struct {
  enum balance_doubt doubt;
  const char *text;
} causes[] = {
    {BALANCE_REST,
     "a thread could not be paused when counting began or ended: an object "
     "that it was taking, or the free list that it took it from"},
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
note_causes(struct note_list *notes, const struct counters *c)
{
  static const char key[] = PPROF_COMMENT_RESIDUAL_NOTE;
  const unsigned doubts = monitor.collector.doubts |
                          (c->finalizer_walks > 0 ? BALANCE_FINALIZERS : 0);
  if (c->imported_threads > 0)
    note_comment(notes, key,
                 "memory that the runtime allocated for %u threads, created "
                 "by C code, before they were imported",
                 c->imported_threads);
  if (c->uncounted_threads > 0)
    note_comment(notes, key,
                 "threads that are not counted, since memory ran out when "
                 "they started: %u",
                 c->uncounted_threads);
  for (size_t i = 0; i < sizeof causes / sizeof *causes; i++)
    if ((doubts & causes[i].doubt) != 0)
      note_comment(notes, key, "%s", causes[i].text);
  if (doubts == 0 && c->imported_threads == 0 && c->uncounted_threads == 0)
    note_comment(notes, key, "not known: please report this");
}

/* Notes the reconciliation: how what was counted agrees with the collector's
 * sum.  The collector counts what its free lists gave away, with its
 * rounding; we count requests.  So each request is rounded as the collector
 * does, and what it made for itself is added:
 *
 *     residual = collector's bytes - rounded bytes - bytes of its records
 *
 * It is 0 but for what a note names.  The collector's bytes can be negative
 * if the page that it has not yet added was known when counting began, but is
 * not when it ends. */
static void
note_reconciliation(struct note_list *notes, const struct counters *c)
{
  const int64_t bytes = (int64_t)monitor.collector.bytes,
                collector = bytes < 0 ? 0 : bytes,
                rounded = (int64_t)c->requests.rounded_bytes,
                records = (int64_t)record_bytes(c),
                residual = collector - rounded - records;
  note_count(notes, PPROF_COMMENT_MALLOC_BYTES, c->requests.malloc_bytes);
  note_count(notes, PPROF_COMMENT_ROUNDED_BYTES, (uint64_t)rounded);
  note_count(notes, PPROF_COMMENT_COLLECTOR_BYTES, (uint64_t)collector);
  note_count(notes, PPROF_COMMENT_COLLECTOR_RECORD_BYTES, (uint64_t)records);
  note_comment(notes, PPROF_COMMENT_RESIDUAL_BYTES, "%" PRId64, residual);
  if (residual != 0)
    note_causes(notes, c);
}

static void
note_comments(struct note_list *notes, const struct snapshot *snapshot)
{
  const struct counters *const c = &snapshot->counters;
  note_count(notes, PPROF_COMMENT_ALLOCATIONS, c->allocations);
  note_count(notes, PPROF_COMMENT_BYTES, c->bytes);
  if (snapshot->balanced)
    note_reconciliation(notes, c);
  if (c->overflows > 0)
    note_comment(
        notes, PPROF_COMMENT_UNATTRIBUTED_NOTE,
        "the context budget was used up %" PRIu64
        " times; (mprof:reset) begins anew, and (mprof:start) takes a "
        "larger :max-contexts",
        c->overflows);
  note_count(notes, PPROF_COMMENT_DIFFERING_WALKS, c->differing_walks);
  if (c->lost_calls > 0)
    note_comment(notes, PPROF_COMMENT_CHAIN_NOTE,
                 "calls of byte-compiled functions whose names did not fit: "
                 "%" PRIu64,
                 c->lost_calls);
  note_count(notes, PPROF_COMMENT_CONTEXTS, c->contexts);
  note_count(notes, PPROF_COMMENT_CONTEXT_BYTES, c->context_bytes);
  note_count(notes, PPROF_COMMENT_THREADS, c->threads);
}

/* Notes what is known of live objects.  The threads stand still. */
static void
note_live_comments(struct note_list *notes)
{
  if (!monitor.follow)
    return;
  note_count(notes, PPROF_COMMENT_LIVE_COLLECTION, live.number);
  if (live.lost > 0)
    note_comment(
        notes, PPROF_COMMENT_LOST_NOTE,
        "objects that were not followed until they died, since memory ran "
        "out: %" PRIu64,
        live.lost);
}

/* ---- arrays ---- */

enum { ALIGNMENT = 64 };

static size_t
aligned(size_t bytes)
{
  return (bytes + ALIGNMENT - 1) & ~(size_t)(ALIGNMENT - 1);
}

/* Adds an array of RECORDS records of SIZE bytes, all zero.  Returns it,
 * which stays until the next one is added, or NULL without memory. */
static void *
add_records(struct snapshot *s, enum image_kind kind, uint32_t owner,
            size_t size, size_t records)
{
  const size_t at = s->length;
  if (s->failed ||
      arena_grow(&s->contents, at + aligned(size * records)) != 0) {
    s->failed = true;
    return NULL;
  }
  s->length += aligned(size * records);
  char *const base = s->contents.base;
  struct image_head *const head = s->contents.base;
  *(struct image_part *)(void *)(base + image_part_offset(head->parts)) =
      (struct image_part){.kind = kind,
                          .owner = owner,
                          .room = records,
                          .ready = records,
                          .offset = at,
                          .record_bytes = (uint32_t)size};
  head->parts++;
  return base + at;
}

/* Adds a copy of ARRAY in the same way. */
static void
add_array(struct snapshot *s, enum image_kind kind, uint32_t owner,
          const void *array, size_t size, size_t records)
{
  void *const place = add_records(s, kind, owner, size, records);
  if (place != NULL && records != 0)
    memcpy(place, array, size * records);
}

/* ---- figures ---- */

static void
add_thread(struct snapshot *s, const struct thread_state *t)
{
  const struct context_tree *const tree = &t->tree;
  struct live_figures *alive;
  add_array(s, IMAGE_CONTEXTS, tree->owner, tree->contexts,
            sizeof *tree->contexts, tree->context_count);
  add_array(s, IMAGE_LEAVES, tree->owner, tree->leaves, sizeof *tree->leaves,
            tree->leaf_count);
  add_array(s, IMAGE_KINDS, tree->owner, tree->kinds, sizeof *tree->kinds,
            tree->kind_count);
  if (live_table_is_open(&t->live) &&
      (alive = add_records(s, IMAGE_LIVE_FIGURES, tree->owner, sizeof *alive,
                           tree->leaf_count)) != NULL)
    live_table_sum(&t->live, alive);
  for (uint32_t i = 0; i < tree->leaf_count && s->balanced; i++) {
    const struct leaf *const leaf = &tree->leaves[i];
    const struct kind *const kind = context_tree_kind(tree, leaf);
    if (requests_told_by(kind))
      requests_add_objects(&s->counters.requests, kind->what, kind->size,
                           leaf->count);
  }
}

/* Returns the bytes of the head, and of a directory with room for all arrays:
 * four of each thread, the regions, the graph and the notes. */
static size_t
head_bytes(void)
{
  enum { OTHERS = 8, OF_THREAD = 4 };
  size_t parts = OTHERS;
  for (const struct thread_state *t = monitor.threads; t != NULL; t = t->next)
    parts += OF_THREAD;
  return aligned(image_part_offset(parts));
}

bool
snapshot_reserve(struct snapshot *s)
{
  size_t bytes = 1 << 14;
  for (const struct thread_state *t = monitor.threads; t != NULL; t = t->next)
    bytes += (1 << 12) + context_tree_bytes(&t->tree) +
             (live_table_is_open(&t->live)
                  ? t->tree.leaf_count * sizeof(struct live_figures)
                  : 0);
  return arena_reserve_pages(&s->contents, bytes) == 0;
}

static void
add_head(struct snapshot *s)
{
  struct image_head *const head = s->contents.base;
  *head = (struct image_head){.version = IMAGE_VERSION,
                              .language = IMAGE_LISP,
                              .flags = monitor.follow ? IMAGE_LIVE : 0,
                              .process = (uint32_t)getpid()};
  memcpy(head->magic, IMAGE_MAGIC, sizeof head->magic);
  snprintf(head->mprof, sizeof head->mprof, "%s", MPROF_VERSION);
  s->length = head_bytes();
}

bool
snapshot_take(struct snapshot *s)
{
  const struct region_table *const regions = &monitor.regions;
  add_head(s);
  s->counters = threads_counters();
  note_live_comments(&s->notes);
  for (const struct thread_state *t = monitor.threads; t != NULL; t = t->next)
    if (thread_has_counted(t))
      add_thread(s, t);
  if (regions->count > 0)
    add_array(s, IMAGE_REGIONS, 1, regions->regions, sizeof *regions->regions,
              regions->count);
  return !s->failed;
}

bool
snapshot_complete(struct snapshot *s, struct live_graph *graph)
{
  struct note_list *const notes = &s->notes;
  image_copy_notes(notes);
  kept_objects_note_classes(notes);
  note_comments(notes, s);
  for (uint32_t i = 0; graph != NULL && i < GRAPH_ARRAYS; i++) {
    const struct graph_array *const array = &graph->arrays[i];
    add_array(s, IMAGE_OBJECTS + i, 1, array->arena.base, array->bytes,
              array->count);
  }
  add_array(s, IMAGE_NOTES, 1, notes->arena.base, 1, notes->used);
  return !s->failed && !notes->failed;
}

void
snapshot_release(struct snapshot *s)
{
  arena_release(&s->contents);
  arena_release(&s->notes.arena);
  *s = (struct snapshot){0};
}
