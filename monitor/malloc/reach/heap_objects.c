/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * heap_objects.c -- see heap_objects.h.
 */
#include "malloc/reach/heap_objects.h"

#include "malloc/interpose/objects.h"

/* All allocators give out multiples of it. */
enum { LEAST_ALIGNMENT = sizeof(uintptr_t) };

struct search {
  struct heap_objects *heap;
  const struct mapping *mapping; /* in hand */
};

static void
add_object(struct heap_objects *heap, const struct object_record *found)
{
  const uint32_t leaf = owned_leaf_number(found->counted.leaf);
  if (heap->count == UINT32_MAX - 1 ||
      arena_grow(&heap->arena, (heap->count + (size_t)1) *
                                   sizeof *heap->objects) != 0) {
    heap->failed = true;
    return;
  }
  heap->objects = heap->arena.base;
  heap->objects[heap->count++] = (struct heap_object){
      .address = found->address,
      .bytes = found->bytes,
      .leaf = found->counted.epoch == stripes.epoch ? leaf : 0,
  };
}

/* What is no object has the check of one by chance: then the rest must be
 * possible too. */
static UNSANITIZED void
search_pages(void *closure, uintptr_t start, uintptr_t end)
{
  const struct search *const search = closure;
  const uintptr_t mask = LEAST_ALIGNMENT - 1;
  struct object_record found;
  for (uintptr_t p = (start + mask) & ~mask; p < end; p += LEAST_ALIGNMENT)
    if (objects_find(p, &found) &&
        found.bytes <= search->mapping->end - p &&
        owned_leaf_number(found.counted.leaf) < stripes.leaves)
      add_object(search->heap, &found);
}

bool
heap_objects_list(struct heap_objects *heap, struct memory_map *map)
{
  *heap = (struct heap_objects){0};
  for (size_t i = 0; i < map->count && !heap->failed; i++) {
    struct mapping *const m = &map->mappings[i];
    struct search search = {heap, m};
    m->first = heap->count;
    memory_map_visit(map, m->start, m->end, search_pages, &search);
    m->count = heap->count - m->first;
  }
  return !heap->failed;
}

void
heap_objects_release(struct heap_objects *heap)
{
  arena_release(&heap->arena);
  *heap = (struct heap_objects){0};
}

struct heap_object *
heap_objects_find(const struct heap_objects *heap,
                  const struct memory_map *map, uintptr_t address)
{
  const struct mapping *const m = memory_map_find(map, address);
  uint32_t low, high;
  struct heap_object *o;
  if (m == NULL || m->count == 0)
    return NULL;
  low = m->first; /* the last one that does not begin behind the address */
  high = m->first + m->count;
  while (high - low > 1) {
    const uint32_t middle = low + (high - low) / 2;
    if (heap->objects[middle].address <= address)
      low = middle;
    else
      high = middle;
  }
  o = &heap->objects[low];
  return address - o->address < (o->bytes == 0 ? 1 : o->bytes) ? o : NULL;
}
