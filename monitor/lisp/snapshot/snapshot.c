/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * snapshot.c -- an image that grows by a piece at a time; the notes are the
 * last.
 */
#include "lisp/snapshot/snapshot.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "image/image.h"
#include "lisp/live/live_collection.h"
#include "lisp/names/kept_objects.h"

#ifndef MPROF_VERSION
#error "MPROF_VERSION is not defined"
#endif

_Static_assert(sizeof(struct image_survival) == sizeof(struct live_survival),
               "the same figures in the same order");
static size_t
whole_pages(size_t bytes)
{
  return (bytes + IMAGE_PAGE - 1) & ~(size_t)(IMAGE_PAGE - 1);
}

/* ---- pieces ---- */

/* Room for the bytes of a piece, all zero, until the next one; NULL: there is
 * no memory. */
static void *
add_piece(struct snapshot *s, enum image_kind kind, uint32_t owner,
          size_t bytes)
{
  const size_t at = s->length;
  bytes = whole_pages(bytes);
  if (s->failed ||
      arena_grow(&s->contents, at + IMAGE_PAGE + bytes) != 0) {
    s->failed = true;
    return NULL;
  }
  s->length += IMAGE_PAGE + bytes;
  *(struct image_piece *)((char *)s->contents.base + at) =
      (struct image_piece){.magic = IMAGE_PIECE_MAGIC,
                           .kind = kind,
                           .owner = owner,
                           .bytes = bytes};
  return (char *)s->contents.base + at + IMAGE_PAGE;
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

/* What lives and died of each leaf, as of the last collection. */
static void
add_survival(struct snapshot *s, struct thread_state *t)
{
  struct live_survival *const sums =
      add_piece(s, IMAGE_SURVIVAL, t->tree.owner,
                t->tree.leaf_count * sizeof *sums);
  if (sums != NULL)
    live_collection_sum(&t->live, sums);
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
    add_survival(s, t);
  for (uint32_t i = 0; i < tree->leaf_count && s->balanced; i++)
    requests_add_leaf(&s->counters.requests, &tree->leaves[i],
                      context_tree_kind(tree, &tree->leaves[i]));
}

/* With an eighth more, for what is new until the threads are stopped. */
bool
snapshot_reserve(struct snapshot *s)
{
  size_t bytes = IMAGE_PAGE;
  for (const struct thread_state *t = monitor.threads; t != NULL; t = t->next)
    bytes += 8 * IMAGE_PAGE + t->tree.context_count * sizeof(struct context) +
             t->tree.kind_count * sizeof(struct kind) +
             t->tree.leaf_count * (sizeof(struct leaf) +
                                   (live_table_is_open(&t->live)
                                        ? sizeof(struct live_survival)
                                        : 0));
  return arena_reserve_pages(&s->contents, whole_pages(bytes + bytes / 8)) ==
         0;
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
  s->length = IMAGE_PAGE;
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
  struct image_root *const to = add_piece(
      s, IMAGE_ROOTS, 1, (g->roots.count + (size_t)1) * sizeof *to);
  if (to == NULL)
    return;
  to[0].object = g->roots.count;
  for (uint32_t i = 0; i < g->roots.count; i++) {
    const struct root *const root = roots_get(&g->roots, i);
    to[i + 1] =
        (struct image_root){root->object, root_level(root), i + 1};
  }
}

static void
add_graph(struct snapshot *s, const struct live_graph *g)
{
  add_array(s, IMAGE_OBJECTS, 1, g->heap.objects.base,
            (heap_count(&g->heap) + (size_t)2) * sizeof(struct image_object));
  add_array(s, IMAGE_REFERENCES, 1, g->heap.references.base,
            g->heap.reference_count * sizeof(uint32_t));
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
