/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * live_graph.c -- see live_graph.h.
 */
#include "lisp/holders/live_graph.h"

#include <string.h>

/* Our own threads are none of the collector's business. */
#define GC_THREADS
#define GC_NO_THREAD_REDIRECTS
#include <gc/gc.h>

#include "common/image_format.h"
#include "image/intern_table.h"
#include "lisp/live/live_collection.h"
#include "lisp/names/classify.h"
#include "lisp/names/lisp_printer.h"
#include "lisp/threads/threads.h"

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
    g->heap.failed = true;
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
  default:
    break;
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

/* Of the thread whose tree is in hand, if it is alive as of the last
 * collection.  What is not the collector's has no place in the heap. */
static void
note_entry(void *graph, const struct live_entry *e, bool freed)
{
  struct live_graph *const g = graph;
  const bool whole = LIVE_KIND(e->memory) == LIVE_OBJECT;
  const struct image_object counted = {.bytes = live_entry_bytes(e),
                                       .owner = g->owner,
                                       .leaf = e->leaf / LIVE_LEAF_UNITS,
                                       .flags = IMAGE_COUNTED |
                                                (whole ? IMAGE_WHOLE : 0)};
  const uint32_t number = heap_find(&g->heap, LIVE_ADDRESS(e->memory) << 4);
  struct image_object *object;
  if (freed || LIVE_AGE(e->memory) == 0)
    return;
  if (number == 0) {
    object = arena_record(&g->outside, ++g->outside_count, sizeof *object);
    if (object != NULL)
      *object = counted;
    g->heap.failed |= object == NULL;
    return;
  }
  object = heap_object(&g->heap, number);
  object->flags |= counted.flags;
  object->bytes = counted.bytes;
  if ((object->flags & IMAGE_ROOT_OBJECT) == 0) {
    object->leaf = counted.leaf;
    object->owner = counted.owner;
  }
}

static void
note_entries(struct live_graph *g)
{
  for (struct thread_state *t = monitor.threads; t != NULL; t = t->next) {
    g->owner = t->tree.owner;
    if (live_table_is_open(&t->live))
      live_collection_each(&t->live, note_entry, g);
  }
}

/* ---- names ----
 *
 *     CL-USER::*CACHE*               a symbol
 *     CL-USER::*X* in WORKER         its binding in a thread
 *     HASH-TABLE (from before)       what was not counted
 *
 * A holder is its name: to the reader, what has the same one is the same. */

enum { NAME_ROOM = 1000 }; /* longer ones are cut */

/* `category': one more than enum category; 0: it is none. */
static void
note_holder(struct note_list *notes, uint32_t number, uint32_t what,
            uint64_t category, struct lisp_printer *name)
{
  note_add(notes, NOTE_HOLDER, number, what | category << NOTE_CATEGORY_SHIFT,
           0, lisp_printer_end(name));
}

static void
put_thread(struct lisp_printer *out, cl_object process)
{
  const struct thread_state *const t = threads_find(process->process.env);
  if (t != NULL && t->label != NULL)
    lisp_printer_text(out, t->label);
  else
    lisp_printer_name(out, process->process.name, NAMED_THREAD);
}

/* Gives back what it is, or 0. */
static uint32_t
put_root(struct lisp_printer *out, const struct root *root)
{
  const char *slash;
  switch (root->kind) {
  case ROOT_SYMBOL:
    lisp_printer_name(out, root->lisp, NAMED_FUNCTION);
    return t_symbol;
  case ROOT_BINDING:
    lisp_printer_name(out, root->lisp, NAMED_FUNCTION);
    lisp_printer_text(out, " in ");
    put_thread(out, root->process);
    return 0;
  case ROOT_PACKAGE:
    lisp_printer_text(out, "package ");
    lisp_printer_name(out, root->lisp->pack.name, NAMED_THREAD);
    return t_package;
  case ROOT_CLASS:
    lisp_printer_text(out, "class ");
    lisp_printer_name(out, root->lisp, NAMED_CLASS);
    return t_instance;
  case ROOT_CODE:
    lisp_printer_text(out, "constants of ");
    if (ECL_STRINGP(root->lisp->cblock.name))
      lisp_printer_name(out, root->lisp->cblock.name, NAMED_THREAD);
    else
      lisp_printer_text(out, "code");
    return t_codeblock;
  case ROOT_DATA:
    slash = root->file == NULL ? NULL : strrchr(root->file, '/');
    lisp_printer_text(out, "data of ");
    lisp_printer_text(out, slash != NULL ? slash + 1 : root->file);
    return 0;
  case ROOT_STACK:
    lisp_printer_text(out, "stack of ");
    put_thread(out, root->lisp);
    return 0;
  case ROOT_OTHER:
  default:
    lisp_printer_text(out, "[other roots]");
    return 0;
  }
}

/* What tells the types of uncounted objects apart: as the hook is told of
 * those that are counted, or the class of an instance. */
static uint64_t
type_tag(const struct heap *heap, uint32_t number)
{
  const cl_object x = (cl_object)(uintptr_t)heap_address(heap, number);
  if ((heap_object(heap, number)->flags & IMAGE_CONS) != 0)
    return t_list;
  switch (x->d.t) {
  case t_instance: /* or memory that only looks like one */
    return heap_object_has(heap, number, sizeof x->instance) &&
                   heap_find(heap, (uintptr_t)x->instance.clas) != 0
               ? (uintptr_t)x->instance.clas
               : 0;
  case t_vector:
  case t_array:
    return (uint64_t)x->d.t |
           ECL_ALLOCATED_ELTTYPE((uint8_t)x->array.elttype) |
           (x->array.flags != 0 ? ECL_ALLOCATED_NOT_SIMPLE : 0);
  case t_stream:
    if (!heap_object_has(heap, number, sizeof x->stream))
      return 0;
    return (uint64_t)x->d.t | ECL_ALLOCATED_SMMODE((uint8_t)x->stream.mode);
  default:
    return x->d.t >= 0 && x->d.t < t_end ? (uint64_t)x->d.t : 0;
  }
}

static void
note_type(struct note_list *notes, uint32_t number, uint64_t type)
{
  const bool instance = type >> 20 != 0; /* it is the class */
  const uint32_t what = instance ? t_instance : (uint32_t)type;
  char text[NAME_ROOM];
  struct lisp_printer out = {.at = text, .room = sizeof text - 1};
  if (instance)
    lisp_printer_name(&out, (cl_object)(uintptr_t)type, NAMED_CLASS);
  else
    lisp_printer_text(&out, classify_type_name(what));
  lisp_printer_text(&out, " (from before)");
  note_holder(notes, number, what, classify_category(what) + UINT64_C(1),
              &out);
}

static void
name_roots(struct live_graph *g, struct note_list *notes)
{
  for (uint32_t i = 0; i < g->roots.count; i++) {
    const struct root *const root = roots_get(&g->roots, i);
    char text[NAME_ROOM];
    struct lisp_printer out = {.at = text, .room = sizeof text - 1};
    const uint32_t what = put_root(&out, root);
    heap_object(&g->heap, root->object)->leaf = i;
    note_holder(notes, i + 1, what, what == 0 ? 0 : CATEGORY_OTHER + 1, &out);
  }
}

/* What was not counted goes by its type, behind the roots. */
static void
name_types(struct live_graph *g, struct note_list *notes)
{
  struct intern_table types = {0};
  for (uint32_t i = 1; i <= heap_count(&g->heap) && !g->heap.failed; i++) {
    struct image_object *const object = heap_object(&g->heap, i);
    const uint32_t before = types.count;
    uint64_t type;
    uint32_t number;
    if ((object->flags & (IMAGE_COUNTED | IMAGE_ROOT_OBJECT)) != 0)
      continue;
    type = type_tag(&g->heap, i);
    number = intern_key(&types, type);
    object->leaf = g->roots.count + number;
    if (number > before)
      note_type(notes, object->leaf, type);
    g->heap.failed |= number == 0;
  }
  intern_table_release(&types);
}

/* How many records there are from 1 on, in the first member of record 0. */
static void
set_count(struct live_graph *g, struct arena *records, uint64_t count)
{
  uint64_t *const first =
      arena_record(records, 0, sizeof(struct image_object));
  if (first == NULL)
    g->heap.failed = true;
  else
    *first = count;
}

bool
live_graph_take(struct live_graph *g, struct note_list *notes)
{
  if (!read_heap(g))
    return false;
  for (uint32_t i = 1; i <= heap_count(&g->heap) && !g->heap.failed; i++)
    add_bodies(g, i);
  note_entries(g);
  name_roots(g, notes);
  name_types(g, notes);
  set_count(g, &g->heap.objects, heap_count(&g->heap));
  set_count(g, &g->bodies, g->body_count);
  set_count(g, &g->outside, g->outside_count);
  return !g->heap.failed;
}

void
live_graph_release(struct live_graph *g)
{
  heap_release(&g->heap);
  roots_release(&g->roots);
  arena_release(&g->bodies);
  arena_release(&g->outside);
}
