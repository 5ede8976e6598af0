/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * snapshot.c -- notes are made first, for nobody knows before how long they
 * are; then the image is as long as it has to be, and is filled.
 */
#include "snapshot/snapshot.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "snapshot/notes.h"

#ifndef MPROF_VERSION
#error "MPROF_VERSION is not defined"
#endif

_Static_assert(sizeof(struct image_survival) == sizeof(struct live_survival),
               "the same figures in the same order");
_Static_assert((int)HEAP_COUNTED == IMAGE_COUNTED &&
                   (int)HEAP_OBJECT == IMAGE_WHOLE &&
                   (int)HEAP_CONS == IMAGE_CONS &&
                   (int)HEAP_ROOT == IMAGE_ROOT_OBJECT &&
                   (int)LEVELS == IMAGE_LEVELS,
               "the same names in both");

static size_t
whole_pages(size_t bytes)
{
  return (bytes + IMAGE_PAGE - 1) & ~(size_t)(IMAGE_PAGE - 1);
}

/* ---- pieces ---- */

/* Where the next piece goes; `at' is NULL while they are measured. */
struct filling {
  char *at;
  size_t length;
};

/* Room for the bytes of a piece; NULL: it is only measured. */
static void *
add_piece(struct filling *f, enum image_kind kind, uint32_t owner,
          size_t bytes)
{
  void *place = NULL;
  bytes = whole_pages(bytes);
  if (f->at != NULL) {
    *(struct image_piece *)(f->at + f->length) =
        (struct image_piece){.magic = IMAGE_PIECE_MAGIC,
                             .kind = kind,
                             .owner = owner,
                             .bytes = bytes};
    place = f->at + f->length + IMAGE_PAGE;
  }
  f->length += IMAGE_PAGE + bytes;
  return place;
}

/* The same for an array that is there. */
static void
put_array(struct filling *f, enum image_kind kind, uint32_t owner,
          const void *array, size_t bytes)
{
  void *const place = add_piece(f, kind, owner, bytes);
  if (place != NULL && bytes != 0)
    memcpy(place, array, bytes);
}

static void
put_contexts(struct filling *f, uint32_t owner,
             const struct thread_figures *t)
{
  const size_t bytes = t->context_count * sizeof(struct context);
  struct context *const to = add_piece(f, IMAGE_CONTEXTS, owner, bytes);
  if (to == NULL)
    return;
  memcpy(to, t->tree.contexts, bytes);
  for (uint32_t i = 0; i < t->context_count; i++)
    to[i].activations = t->activations[i];
}

static void
put_leaves(struct filling *f, uint32_t owner, const struct thread_figures *t)
{
  struct leaf *const to = add_piece(f, IMAGE_LEAVES, owner,
                                    t->leaf_count * sizeof(struct leaf));
  for (uint32_t i = 0; to != NULL && i < t->leaf_count; i++)
    to[i] = lisp_figures_leaf(t, i);
}

static void
put_thread(struct filling *f, uint32_t owner, const struct thread_figures *t)
{
  put_contexts(f, owner, t);
  put_leaves(f, owner, t);
  put_array(f, IMAGE_KINDS, owner, t->tree.kinds,
            t->tree.kind_count * sizeof(struct kind));
  if (t->live != NULL)
    put_array(f, IMAGE_SURVIVAL, owner, t->live,
              t->leaf_count * sizeof(struct live_survival));
}

/* ---- the graph ---- */

static struct image_object
object_at(const struct live_graph *g, uint32_t i)
{
  enum { SAME = HEAP_COUNTED | HEAP_OBJECT | HEAP_CONS | HEAP_ROOT };
  const struct heap_object *const o = heap_object(&g->heap, i);
  const uint32_t flags = (uint32_t)o->flags;
  return (struct image_object){
      .bytes = heap_object_bytes(o),
      .references = ((const uint32_t *)g->heap.first.base)[i],
      .owner = ((const uint32_t *)g->owners.base)[i],
      .leaf = o->leaf,
      .flags = (flags & SAME) |
               ((flags & HEAP_HAS_BODY) != 0 ? IMAGE_HAS_BODY : 0)};
}

static void
put_objects(struct filling *f, const struct live_graph *g)
{
  const uint32_t count = g->heap.count;
  struct image_object *const to =
      add_piece(f, IMAGE_OBJECTS, 1, (count + (size_t)2) * sizeof *to);
  if (to == NULL)
    return;
  to[0].bytes = count;
  for (uint32_t i = 1; i <= count; i++)
    to[i] = object_at(g, i);
  to[count + 1].references = g->heap.reference_count;
}

static void
put_roots(struct filling *f, const struct live_graph *g)
{
  const uint32_t *const holders = g->root_holders.base;
  struct image_root *const to = add_piece(
      f, IMAGE_ROOTS, 1, (g->roots.count + (size_t)1) * sizeof *to);
  if (to == NULL)
    return;
  to[0].object = g->roots.count;
  for (uint32_t i = 0; i < g->roots.count; i++) {
    const struct root *const root = roots_get(&g->roots, i);
    to[i + 1] = (struct image_root){root->object, root_level(root),
                                    holders[i]};
  }
}

static void
put_graph(struct filling *f, const struct live_graph *g)
{
  struct image_body *bodies;
  struct image_object *outside;
  put_objects(f, g);
  put_array(f, IMAGE_REFERENCES, 1, g->heap.references.base,
            g->heap.reference_count * sizeof(uint32_t));
  put_roots(f, g);
  bodies = add_piece(f, IMAGE_BODIES, 1,
                     (g->body_count + (size_t)1) * sizeof *bodies);
  outside = add_piece(f, IMAGE_OUTSIDE, 1,
                      (g->outside_count + (size_t)1) * sizeof *outside);
  if (bodies == NULL || outside == NULL)
    return;
  bodies->object = g->body_count;
  if (g->body_count != 0)
    memcpy(bodies + 1, g->bodies.base, g->body_count * sizeof *bodies);
  outside->bytes = g->outside_count;
  if (g->outside_count != 0)
    memcpy(outside + 1, g->outside.base, g->outside_count * sizeof *outside);
}

/* ---- the whole ---- */

static void
put_all(struct filling *f, const struct lisp_figures *figures,
        const struct live_graph *graph, const struct note_list *notes)
{
  const struct region_table *const regions = &monitor.regions;
  f->length = IMAGE_PAGE;
  for (uint32_t i = 0; i < figures->thread_count; i++)
    if (figures->threads[i].leaf_count > LEAF_FIRST)
      put_thread(f, i + 1, &figures->threads[i]);
  if (regions->count > 0)
    put_array(f, IMAGE_REGIONS, 1, regions->regions,
              regions->count * sizeof *regions->regions);
  if (graph != NULL)
    put_graph(f, graph);
  put_array(f, IMAGE_NOTES, 1, notes->arena.base, notes->used);
}

static void
put_head(char *at, const struct lisp_figures *figures)
{
  struct image_head *const head = (struct image_head *)at;
  *head = (struct image_head){.version = IMAGE_VERSION,
                              .language = IMAGE_LISP,
                              .flags = (monitor.follow ? IMAGE_LIVE : 0) |
                                       (figures->heap ? IMAGE_HEAP : 0),
                              .process = (uint32_t)getpid()};
  memcpy(head->magic, IMAGE_MAGIC, sizeof head->magic);
  snprintf(head->mprof, sizeof head->mprof, "%s", MPROF_VERSION);
}

bool
snapshot_make(struct snapshot *snapshot, const struct lisp_figures *figures,
              const struct live_graph *graph)
{
  struct note_list notes = {0};
  struct filling filling = {0};
  *snapshot = (struct snapshot){0};
  snapshot_notes(&notes, figures);
  snapshot_comments(&notes, figures);
  if (graph != NULL)
    snapshot_holders(&notes, &graph->names);
  put_all(&filling, figures, graph, &notes);
  if (!notes.failed &&
      arena_reserve_pages(&snapshot->contents, filling.length) == 0) {
    filling.at = snapshot->contents.base;
    put_head(filling.at, figures);
    put_all(&filling, figures, graph, &notes);
    snapshot->length = filling.length;
  }
  arena_release(&notes.arena);
  return snapshot->length != 0;
}
