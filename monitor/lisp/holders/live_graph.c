/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * live_graph.c -- see live_graph.h.
 */
#include "lisp/holders/live_graph.h"

/* Our own threads are none of the collector's business. */
#define GC_THREADS
#define GC_NO_THREAD_REDIRECTS
#include <gc/gc.h>

#include "common/image_format.h"
#include "image/intern_table.h"
#include "lisp/holders/holder_names.h"
#include "lisp/live/live_collection.h"
#include "lisp/threads/threads.h"

struct noting {
  struct live_graph *graph;
  uint32_t owner; /* of the tree of the thread in hand */
};

/* ---- bodies ---- */

static void
add_body(struct live_graph *g, uint32_t object, const void *body)
{
  const uint32_t number = heap_find(&g->heap, (uintptr_t)body);
  struct image_body *to;
  if (number == 0)
    return;
  to = arena_record(&g->bodies, ++g->body_count, sizeof *to);
  if (to == NULL) {
    g->failed = true;
    return;
  }
  *to = (struct image_body){object, number};
  heap_object(&g->heap, object)->flags |= IMAGE_HAS_BODY;
}

/* What is not counted may be a body itself, and only look like an object: the
 * reader knows what refers to it. */
static void
add_bodies(struct live_graph *g, uint32_t number)
{
  const cl_object x = (cl_object)(uintptr_t)heap_address(&g->heap, number);
  if (x == OBJNULL ||
      (heap_object(&g->heap, number)->flags & IMAGE_CONS) != 0 ||
      !heap_object_has(&g->heap, number, sizeof x->array))
    return;
  switch (x->d.t) {
  case t_array:
    add_body(g, number, x->array.self.t);
    add_body(g, number, x->array.dims);
    break;
  case t_vector:
    add_body(g, number, x->vector.self.t);
    break;
  case t_hashtable:
    add_body(g, number, x->hash.data);
    break;
  case t_instance:
    add_body(g, number, x->instance.slots);
    break;
  case t_codeblock:
    add_body(g, number, x->cblock.data);
    break;
  default: break;
  }
}

/* ---- the heap ---- */

static bool
read_heap(struct live_graph *g)
{
  GC_stop_world_external();
  heap_take_objects(&g->heap);
  if (!g->heap.failed)
    roots_take(&g->roots, &g->heap);
  if (!g->heap.failed) {
    heap_read_objects(&g->heap);
    roots_read(&g->roots);
  }
  GC_start_world_external();
  return !g->heap.failed;
}

/* ---- what was counted ---- */

/* What is not the collector's has no place in the heap. */
static void
add_outside(struct noting *n, uint32_t leaf, const struct live_entry *e,
            bool is_object)
{
  struct live_graph *const g = n->graph;
  struct image_object *const to =
      arena_record(&g->outside, ++g->outside_count, sizeof *to);
  if (to == NULL)
    g->failed = true;
  else
    *to = (struct image_object){
        .bytes = live_entry_bytes(e),
        .owner = n->owner,
        .leaf = leaf,
        .flags = IMAGE_COUNTED | (is_object ? IMAGE_WHOLE : 0)};
}

/* Of one thread, if it is alive as of the last collection. */
static void
note_entry(void *noting, const struct live_entry *e, bool freed)
{
  struct noting *const n = noting;
  struct heap *const heap = &n->graph->heap;
  const bool is_object = LIVE_KIND(e->memory) == LIVE_OBJECT;
  const uint32_t leaf = e->leaf / LIVE_LEAF_UNITS;
  const uint32_t number = heap_find(heap, LIVE_ADDRESS(e->memory) << 4);
  struct image_object *const object = heap_object(heap, number);
  if (freed || LIVE_AGE(e->memory) == 0)
    return;
  if (number == 0) {
    add_outside(n, leaf, e, is_object);
    return;
  }
  object->flags |= IMAGE_COUNTED | (is_object ? IMAGE_WHOLE : 0);
  object->bytes = live_entry_bytes(e);
  if ((object->flags & IMAGE_ROOT_OBJECT) == 0) {
    object->leaf = leaf;
    object->owner = n->owner;
  }
}

static void
note_entries(struct live_graph *g)
{
  struct noting n = {.graph = g};
  for (struct thread_state *t = monitor.threads; t != NULL; t = t->next) {
    n.owner = t->tree.owner;
    if (live_table_is_open(&t->live))
      live_collection_each(&t->live, note_entry, &n);
  }
}

/* ---- names ---- */

/* Of roots, and of what was not counted. */
static void
name_holders(struct live_graph *g, struct note_list *notes)
{
  struct intern_table types = {0}; /* of what was not counted */
  for (uint32_t i = 0; i < g->roots.count; i++) {
    heap_object(&g->heap, roots_get(&g->roots, i)->object)->leaf = i;
    holder_note_root(notes, i + 1, roots_get(&g->roots, i));
  }
  for (uint32_t i = 1; i <= g->heap.count && !g->failed; i++) {
    struct image_object *const object = heap_object(&g->heap, i);
    const uint32_t before = types.count;
    uint64_t type;
    uint32_t number;
    if ((object->flags & (IMAGE_COUNTED | IMAGE_ROOT_OBJECT)) != 0)
      continue;
    type = holder_type(&g->heap, i);
    number = intern_key(&types, type);
    object->leaf = g->roots.count + number;
    if (number > before)
      holder_note_type(notes, object->leaf, type);
    g->failed |= number == 0;
  }
  intern_table_release(&types);
}

bool
live_graph_take(struct live_graph *g, struct note_list *notes)
{
  if (!read_heap(g))
    return false;
  for (uint32_t i = 1; i <= g->heap.count && !g->failed; i++)
    add_bodies(g, i);
  note_entries(g);
  name_holders(g, notes);
  return !g->failed;
}

void
live_graph_release(struct live_graph *g)
{
  heap_release(&g->heap);
  roots_release(&g->roots);
  arena_release(&g->bodies);
  arena_release(&g->outside);
}
