/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * live_graph.c -- see live_graph.h. */
#include "lisp/holders/live_graph.h"

#include <gc/gc_mark.h>

#include "lisp/live/live_table.h"
#include "lisp/threads/threads.h"

enum { LIST_TAG = 1, TAGS = 1 }; /* displacements that ECL registers */

/* ---- arrays ---- */

void *
graph_add_record(struct live_graph *g, enum image_kind kind)
{
  struct graph_array *const array = graph_array(g, kind);
  void *const record =
      array->count == UINT32_MAX
          ? NULL
          : arena_record(&array->arena, array->count, array->bytes);
  g->failed |= record == NULL;
  array->count += record != NULL;
  return record;
}

/* Adds to each array but that of references its record 0. */
static void
begin_arrays(struct live_graph *g)
{
  static const uint32_t bytes[GRAPH_ARRAYS] = {
      sizeof(struct image_object), sizeof(uint32_t),
      sizeof(struct image_body), sizeof(struct image_root),
      sizeof(struct image_object)};
  for (uint32_t i = 0; i < GRAPH_ARRAYS; i++) {
    g->arrays[i].bytes = bytes[i];
    if (IMAGE_OBJECTS + i != IMAGE_REFERENCES)
      graph_add_record(g, IMAGE_OBJECTS + i);
  }
}

/* Stores in record 0 of each array how many follow it, without the record
 * that ends the references of the last object. */
static void
end_arrays(struct live_graph *g)
{
  for (uint32_t i = 0; i < GRAPH_ARRAYS && !g->failed; i++)
    if (IMAGE_OBJECTS + i != IMAGE_REFERENCES)
      *(uint64_t *)g->arrays[i].arena.base =
          g->arrays[i].count - UINT64_C(1) - (i == 0);
}

/* ---- objects ---- */

/* Gives an object without an address a key that is not an address. */
uint32_t
graph_add(struct live_graph *g, uint64_t address)
{
  const uint64_t number = g->addresses.count + UINT64_C(1);
  if (intern_key(&g->addresses, address != 0 ? address : number << 1 | 1) ==
          0 ||
      graph_add_record(g, IMAGE_OBJECTS) == NULL) {
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
  graph_object(g, number)->references =
      graph_array(g, IMAGE_REFERENCES)->count;
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
  if ((reference = graph_add_record(g, IMAGE_REFERENCES)) != NULL)
    *reference = number;
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
  if ((to = graph_add_record(g, IMAGE_BODIES)) == NULL)
    return;
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

/* Notes an entry of the thread whose tree OWNER is.  Only the collector's
 * objects have a place in the heap. */
static void
note_entry(struct live_graph *g, const struct live_entry *e, uint32_t owner)
{
  const bool whole = LIVE_KIND(e->memory) == LIVE_OBJECT;
  const struct image_object counted = {.bytes = live_entry_bytes(e),
                                       .owner = owner,
                                       .leaf = e->leaf / LIVE_LEAF_UNITS,
                                       .flags = IMAGE_COUNTED |
                                                (whole ? IMAGE_WHOLE : 0)};
  const uint32_t number = graph_find(g, LIVE_ADDRESS(e->memory) << 4);
  struct image_object *object;
  if (number == 0) {
    object = graph_add_record(g, IMAGE_OUTSIDE);
    if (object != NULL)
      *object = counted;
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
    struct live_cursor at = {.chunk = live_chunks(&t->live)};
    for (const struct live_entry *e; (e = live_next(&at)) != NULL;)
      note_entry(g, e, t->tree.owner);
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
  case t_stream:
    return has_bytes(g, number, sizeof x->stream) ? classify_object(x) : 0;
  default:
    return x->d.t >= 0 && x->d.t < t_end ? classify_object(x) : 0;
  }
}

void
graph_note(struct live_graph *g, uint32_t number, uint64_t value)
{
  const char *const name = lisp_printer_end(&g->name);
  g->failed |= name == NULL;
  note_add(g->notes, NOTE_HOLDER, number, value, 0, name);
}

static void
note_type(struct live_graph *g, uint32_t number, uint64_t type)
{
  const bool instance = type >> 20 != 0; /* it is the class */
  const uint32_t what = instance ? t_instance : (uint32_t)type;
  if (instance)
    lisp_printer_name(&g->name, (cl_object)(uintptr_t)type, NAMED_CLASS);
  else
    lisp_printer_text(&g->name, classify_type_name(what));
  lisp_printer_text(&g->name, " (from before)");
  graph_note(g, g->root_count + number,
             what | (classify_category(what) + UINT64_C(1))
                        << NOTE_CATEGORY_SHIFT);
}

/* Numbers the types of what was not counted, behind the roots. */
static void
add_types(struct live_graph *g)
{
  for (uint32_t i = 1; i <= g->addresses.count && !g->failed; i++) {
    struct image_object *const object = graph_object(g, i);
    const uint32_t before = g->types.count;
    uint64_t tag;
    uint32_t number;
    if ((object->flags & (IMAGE_COUNTED | IMAGE_ROOT_OBJECT)) != 0)
      continue;
    tag = type_tag(g, i);
    number = intern_key(&g->types, tag);
    object->leaf = g->root_count + number;
    g->failed |= number == 0;
    if (number > before)
      note_type(g, number, tag);
  }
}

/* ---- the whole ---- */

bool
live_graph_take(struct live_graph *g)
{
  begin_arrays(g);
  GC_enumerate_reachable_objects_inner(take_object, g);
  g->collected = g->addresses.count;
  if (!g->failed)
    roots_take(g);
  graph_add_record(g, IMAGE_OBJECTS);
  if (!g->failed) {
    read_objects(g);
    roots_read(g);
  }
  for (uint32_t i = 1; i <= g->addresses.count && !g->failed; i++)
    add_bodies(g, i);
  note_entries(g);
  add_types(g);
  end_arrays(g);
  return !g->failed;
}

void
live_graph_release(struct live_graph *g)
{
  for (uint32_t i = 0; i < GRAPH_ARRAYS; i++)
    arena_release(&g->arrays[i].arena);
  intern_table_release(&g->addresses);
  arena_release(&g->roots);
  intern_table_release(&g->types);
  arena_release(&g->name.text);
}
