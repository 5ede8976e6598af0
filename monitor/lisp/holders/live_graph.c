/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * live_graph.c -- see live_graph.h. */
#include "lisp/holders/live_graph.h"

/* Our own threads are none of the collector's business. */
#define GC_THREADS
#define GC_NO_THREAD_REDIRECTS
#include <gc/gc.h>
#include <gc/gc_mark.h>

#include "lisp/live/live_table.h"
#include "lisp/names/classify.h"
#include "lisp/names/lisp_printer.h"
#include "lisp/threads/threads.h"

enum { LIST_TAG = 1, TAGS = 1 }; /* displacements that ECL registers */

/* ---- objects ---- */

/* Keeps its record zero, and the one behind it.  An object without an address
 * gets a key that is not an address. */
uint32_t
graph_add(struct live_graph *g, uint64_t address)
{
  const uint64_t number = g->addresses.count + UINT64_C(1);
  if (arena_record(&g->objects, number + 1, sizeof(struct image_object)) ==
          NULL ||
      intern_key(&g->addresses, address != 0 ? address : number << 1 | 1) ==
          0) {
    g->failed = true;
    return 0;
  }
  return g->addresses.count;
}

static void GC_CALLBACK
take_object(void *object, size_t bytes, void *graph)
{
  (void)bytes;
  graph_add(graph, (uintptr_t)object);
}

/* Returns whether the collector gave out so many bytes for an object: what
 * does not have them only looks as if it had a header of Lisp. */
static bool
has_bytes(const struct live_graph *g, uint32_t number, size_t bytes)
{
  void *const memory = (void *)(uintptr_t)graph_address(g, number);
  return GC_base(memory) == memory && GC_size(memory) >= bytes;
}

uint32_t
graph_find(const struct live_graph *g, uint64_t word)
{
  const uint64_t address = word & ~(uint64_t)TAGS;
  return (address & 7) != 0 || address == 0
             ? 0
             : intern_find_key(&g->addresses, address);
}

/* ---- references ---- */

void
graph_begin_references(struct live_graph *g, uint32_t number)
{
  graph_object(g, number)->references = g->reference_count;
}

/* Leaves out references to roots, which nobody holds. */
void
graph_refer(struct live_graph *g, uint64_t word)
{
  const uint32_t number = graph_find(g, word);
  uint32_t *reference;
  if (number == 0)
    return;
  if ((word & TAGS) == LIST_TAG)
    graph_object(g, number)->flags |= IMAGE_CONS;
  if ((graph_object(g, number)->flags & IMAGE_ROOT_OBJECT) != 0)
    return;
  reference = g->reference_count == UINT32_MAX
                  ? NULL
                  : arena_record(&g->references, g->reference_count,
                                 sizeof *reference);
  if (reference == NULL) {
    g->failed = true;
    return;
  }
  *reference = number;
  g->reference_count++;
}

/* Returns whether the object has pointers.  The kind of those without has the
 * number 0, and 3 when they are uncollectable (gc_mark.h). */
static bool
has_pointers(const void *object, size_t *bytes)
{
  const int kind = GC_get_kind_and_size(object, bytes);
  return kind != 0 && kind != 3;
}

/* Adds the references of all objects that are the collector's. */
static void
read_objects(struct live_graph *g)
{
  for (uint32_t i = 1; i <= g->collected && !g->failed; i++) {
    const uint64_t *const words =
        (const uint64_t *)(uintptr_t)graph_address(g, i);
    size_t bytes;
    graph_begin_references(g, i);
    if (!has_pointers(words, &bytes))
      continue;
    for (size_t w = 0; w < bytes / sizeof *words; w++)
      graph_refer(g, words[w]);
  }
}

/* ---- bodies ---- */

static void
add_body(struct live_graph *g, uint32_t object, const void *body)
{
  const uint32_t number = graph_find(g, (uintptr_t)body);
  struct image_body *to;
  if (number == 0)
    return;
  to = arena_record(&g->bodies, ++g->body_count, sizeof *to);
  if (to == NULL) {
    g->failed = true;
    return;
  }
  *to = (struct image_body){object, number};
  graph_object(g, object)->flags |= IMAGE_HAS_BODY;
}

/* Adds the bodies of an object.  What is not counted may be a body itself,
 * and only look like an object: the reader knows what refers to it. */
static void
add_bodies(struct live_graph *g, uint32_t number)
{
  const cl_object x = (cl_object)(uintptr_t)graph_address(g, number);
  if (x == OBJNULL || (graph_object(g, number)->flags & IMAGE_CONS) != 0 ||
      !has_bytes(g, number, sizeof x->array))
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

/* ---- what was counted ---- */

/* Notes an entry of the thread whose tree is in hand.  Only the collector's
 * objects have a place in the heap. */
static void
note_entry(void *graph, const struct live_entry *e)
{
  struct live_graph *const g = graph;
  const bool whole = LIVE_KIND(e->memory) == LIVE_OBJECT;
  const struct image_object counted = {.bytes = live_entry_bytes(e),
                                       .owner = g->owner,
                                       .leaf = e->leaf / LIVE_LEAF_UNITS,
                                       .flags = IMAGE_COUNTED |
                                                (whole ? IMAGE_WHOLE : 0)};
  const uint32_t number = graph_find(g, LIVE_ADDRESS(e->memory) << 4);
  struct image_object *object;
  if (number == 0) {
    object = arena_record(&g->outside, ++g->outside_count, sizeof *object);
    if (object != NULL)
      *object = counted;
    g->failed |= object == NULL;
    return;
  }
  object = graph_object(g, number);
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
      live_table_each(&t->live, note_entry, g);
  }
}

/* ---- types ---- */

/* Returns what tells the types of uncounted objects apart: what the hook is
 * told of those that are counted, or the class of an instance. */
static uint64_t
type_tag(const struct live_graph *g, uint32_t number)
{
  const cl_object x = (cl_object)(uintptr_t)graph_address(g, number);
  if ((graph_object(g, number)->flags & IMAGE_CONS) != 0)
    return t_list;
  switch (x->d.t) {
  case t_instance: /* or memory that only looks like one */
    return has_bytes(g, number, sizeof x->instance) &&
                   graph_find(g, (uintptr_t)x->instance.clas) != 0
               ? (uintptr_t)x->instance.clas
               : 0;
  case t_vector:
  case t_array:
    return (uint64_t)x->d.t |
           ECL_ALLOCATED_ELTTYPE((uint8_t)x->array.elttype) |
           (x->array.flags != 0 ? ECL_ALLOCATED_NOT_SIMPLE : 0);
  case t_stream:
    if (!has_bytes(g, number, sizeof x->stream))
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
  note_add(notes, NOTE_HOLDER, number,
           what | (classify_category(what) + UINT64_C(1))
                      << NOTE_CATEGORY_SHIFT,
           0, lisp_printer_end(&out));
}

/* Numbers the types of what was not counted, behind the roots. */
static void
add_types(struct live_graph *g)
{
  for (uint32_t i = 1; i <= g->addresses.count && !g->failed; i++) {
    struct image_object *const object = graph_object(g, i);
    uint32_t number;
    if ((object->flags & (IMAGE_COUNTED | IMAGE_ROOT_OBJECT)) != 0)
      continue;
    number = intern_key(&g->types, type_tag(g, i));
    object->leaf = g->root_count + number;
    g->failed |= number == 0;
  }
}

/* ---- the whole ---- */

/* Stores how many records there are from 1 on, in the first member of record
 * 0. */
static void
set_count(struct live_graph *g, struct arena *records, uint64_t count)
{
  uint64_t *const first =
      arena_record(records, 0, sizeof(struct image_object));
  if (first == NULL)
    g->failed = true;
  else
    *first = count;
}

bool
live_graph_take(struct live_graph *g)
{
  GC_enumerate_reachable_objects_inner(take_object, g);
  g->collected = g->addresses.count;
  if (!g->failed)
    roots_take(g);
  if (!g->failed) {
    read_objects(g);
    roots_read(g);
  }
  for (uint32_t i = 1; i <= g->addresses.count && !g->failed; i++)
    add_bodies(g, i);
  note_entries(g);
  add_types(g);
  set_count(g, &g->objects, g->addresses.count);
  set_count(g, &g->bodies, g->body_count);
  set_count(g, &g->outside, g->outside_count);
  return !g->failed;
}

void
live_graph_note(const struct live_graph *g, struct note_list *notes)
{
  roots_note(g, notes);
  for (uint32_t i = 1; i <= g->types.count; i++)
    note_type(notes, g->root_count + i, intern_table_key(&g->types, i));
}

void
live_graph_release(struct live_graph *g)
{
  arena_release(&g->objects);
  intern_table_release(&g->addresses);
  arena_release(&g->references);
  arena_release(&g->roots);
  arena_release(&g->bodies);
  arena_release(&g->outside);
  intern_table_release(&g->types);
}
