/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * search.c -- no recursion: lists are long.  The way back is in the parents.
 */
#include "holders/search.h"

#include <ecl/ecl.h>

struct walk {
  struct search *search;
  struct heap *heap;
  const uint32_t *references, *begin; /* of the heap */
  uint32_t *numbers, *objects, *parents;
  uint32_t *next; /* by object: which of its references is next */
  uint32_t levels[LEVELS + 1]; /* the first node of each */
};

/* ---- what an object is ---- */

/* The memory `body' is a part of what refers to it, unless it is known to be
 * an object: what was not counted may only look like an object. */
static void
note_body(struct heap *heap, const void *body)
{
  struct heap_object *const object =
      heap_object(heap, heap_find(heap, (uintptr_t)body));
  if ((object->flags & (HEAP_OBJECT | HEAP_CONS | HEAP_ROOT)) == 0)
    object->flags |= HEAP_BODY;
}

static void
note_bodies(struct heap *heap, const struct heap_object *object)
{
  const cl_object x = (cl_object)(uintptr_t)object->address;
  if (object->address == 0 ||
      (object->flags & (HEAP_CONS | HEAP_BODY)) != 0 ||
      !heap_object_has(object, sizeof x->array))
    return;
  switch (x->d.t) {
  case t_array:
    note_body(heap, x->array.self.t);
    note_body(heap, x->array.dims);
    break;
  case t_vector:
    note_body(heap, x->vector.self.t);
    break;
  case t_hashtable:
    note_body(heap, x->hash.data);
    break;
  case t_instance:
    note_body(heap, x->instance.slots);
    break;
  case t_codeblock:
    note_body(heap, x->cblock.data);
    break;
  default: break;
  }
}

/* ---- the search ---- */

static void
visit(struct walk *w, uint32_t object, uint32_t parent)
{
  const uint32_t node = w->search->count++;
  w->numbers[object] = node;
  w->objects[node] = object;
  w->parents[node] = parent;
  w->next[object] = w->begin[object];
  note_bodies(w->heap, heap_object(w->heap, object));
}

/* All that can be reached from `object' and was not yet. */
static void
search_from(struct walk *w, uint32_t object, uint32_t parent)
{
  uint32_t node = w->search->count;
  const uint32_t begin = node;
  visit(w, object, parent);
  for (;;) {
    const uint32_t from = w->objects[node];
    if (w->next[from] == w->begin[from + 1]) {
      if (node == begin)
        return;
      node = w->parents[node];
    } else {
      const uint32_t to = w->references[w->next[from]++];
      if (w->numbers[to] == 0) {
        visit(w, to, node);
        node = w->numbers[to];
      }
    }
  }
}

/* What no root reaches, first that to which nothing of it refers. */
static void
search_others(struct walk *w, uint32_t other)
{
  const uint32_t count = w->heap->count; /* of those, `next' is 0 still */
  for (uint32_t i = 1; i <= count; i++)
    for (uint32_t r = w->begin[i]; w->numbers[i] == 0 && r < w->begin[i + 1];
         r++)
      if (w->references[r] != i && w->numbers[w->references[r]] == 0)
        w->next[w->references[r]] = 1;
  for (uint32_t i = 1; i <= count; i++)
    if (w->numbers[i] == 0 && w->next[i] == 0)
      search_from(w, i, w->numbers[other]);
  for (uint32_t i = 1; i <= count; i++)
    if (w->numbers[i] == 0)
      search_from(w, i, w->numbers[other]);
}

static void
search_levels(struct walk *w, const struct roots *roots)
{
  uint32_t other = 0;
  for (int level = 0; level < LEVELS; level++) {
    w->levels[level] = w->search->count;
    for (uint32_t i = 0; i < roots->count; i++)
      if ((int)root_level(roots_get(roots, i)) == level) {
        other = roots_get(roots, i)->object;
        search_from(w, other, 0);
      }
  }
  search_others(w, other); /* the only root of the last level */
  w->levels[LEVELS] = w->search->count;
}

/* ---- predecessors ---- */

/* Of each reference that counts: `predecessors' NULL, count it in
 * first[node]; else put it before where first[node] is. */
static void
each_reference(struct walk *w, uint32_t *first, uint32_t *predecessors)
{
  int level = 0;
  for (uint32_t node = 1; node < w->search->count; node++) {
    const uint32_t from = w->objects[node];
    while (node >= w->levels[level + 1])
      level++;
    for (uint32_t r = w->begin[from]; r < w->begin[from + 1]; r++) {
      const uint32_t to = w->numbers[w->references[r]];
      if (to < w->levels[level] || to == node)
        continue;
      if (predecessors == NULL)
        first[to]++;
      else
        predecessors[--first[to]] = node;
    }
  }
}

static bool
find_predecessors(struct walk *w)
{
  struct search *const s = w->search;
  const size_t bytes = (s->count + (size_t)1) * sizeof(uint32_t);
  uint32_t *first;
  if (arena_reserve(&s->first, bytes) != 0)
    return false;
  first = s->first.base;
  each_reference(w, first, NULL);
  for (uint32_t node = 0; node < s->count; node++)
    first[node + 1] += first[node]; /* where those of a node end */
  if (arena_reserve(&s->predecessors,
                    (first[s->count] + (size_t)1) * sizeof *first) != 0)
    return false;
  each_reference(w, first, s->predecessors.base);
  return true;
}

/* ---- the whole ---- */

bool
search_run(struct search *search, struct heap *heap,
           const struct roots *roots)
{
  const size_t bytes = (heap->count + (size_t)2) * sizeof(uint32_t);
  struct arena numbers = {0}, next = {0};
  struct walk w = {.search = search,
                   .heap = heap,
                   .references = heap->references.base,
                   .begin = heap->first.base};
  bool good = !heap->failed && arena_reserve(&numbers, bytes) == 0 &&
              arena_reserve(&search->objects, bytes) == 0 &&
              arena_reserve(&search->parents, bytes) == 0 &&
              arena_reserve(&next, bytes) == 0;
  if (good) {
    w.numbers = numbers.base;
    w.objects = search->objects.base;
    w.parents = search->parents.base;
    w.next = next.base;
    search->count = 1;
    search_levels(&w, roots);
    arena_release(&next);
    heap_drop_index(heap);
    good = find_predecessors(&w);
  }
  arena_release(&numbers);
  arena_release(&next);
  arena_release(&heap->references);
  arena_release(&heap->first);
  return good;
}

void
search_release(struct search *search)
{
  arena_release(&search->objects);
  arena_release(&search->parents);
  arena_release(&search->first);
  arena_release(&search->predecessors);
  *search = (struct search){0};
}
