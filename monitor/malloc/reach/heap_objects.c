/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * heap_objects.c -- see heap_objects.h.
 */
#include "malloc/reach/heap_objects.h"

#include "malloc/interpose/objects.h"

/* All allocators give out multiples of it. */
enum { LEAST_ALIGNMENT = sizeof(uintptr_t) };

/* Of the index: more than so many parts are larger ones. */
enum { LEAST_SHIFT = 8, MOST_PARTS = 1 << 24 };

struct search {
  struct heap_objects *heap;
  const struct mapping *mapping; /* in hand */
  uintptr_t alignment;           /* of objects without a header */
};

static void
add_object(struct heap_objects *heap, const struct object_record *found)
{
  const uint32_t leaf = owned_leaf_number(found->counted.leaf);
  if (heap->count == UINT32_MAX - 1 ||
      arena_grow(&heap->arena,
                 (heap->count + (size_t)1) * sizeof *heap->objects) != 0) {
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
    if (objects_find(p, search->alignment, &found) &&
        found.bytes <= search->mapping->end - p &&
        owned_leaf_number(found.counted.leaf) < stripes.leaves)
      add_object(search->heap, &found);
}

/* The part of the index, of those of `m', that an address belongs to. */
static size_t
part_of(const struct heap_objects *heap, const struct mapping *m,
        uintptr_t address)
{
  return (address - heap->objects[m->first].address) >> heap->shift;
}

/* How many parts there are for the objects in `m', with one behind. */
static size_t
count_parts(const struct heap_objects *heap, const struct mapping *m)
{
  return m->count == 0
             ? 0
             : part_of(heap, m,
                       heap->objects[m->first + m->count - 1].address) +
                   2;
}

/* Give each mapping its parts; how many there are of all. */
static size_t
place_parts(const struct heap_objects *heap, struct memory_map *map)
{
  size_t parts = 0;
  for (size_t i = 0; i < map->count; i++) {
    map->mappings[i].index = parts;
    parts += count_parts(heap, &map->mappings[i]);
  }
  return parts;
}

static void
fill_index(struct heap_objects *heap, const struct mapping *m)
{
  size_t part = 0;
  for (uint32_t i = m->first; i < m->first + m->count; i++)
    while (part <= part_of(heap, m, heap->objects[i].address))
      heap->index[m->index + part++] = i;
  if (m->count > 0)
    heap->index[m->index + part] = m->first + m->count;
}

static bool
make_index(struct heap_objects *heap, struct memory_map *map)
{
  size_t parts;
  heap->shift = LEAST_SHIFT;
  while ((parts = place_parts(heap, map)) > MOST_PARTS)
    heap->shift++;
  if (arena_reserve(&heap->index_arena, (parts + 1) * sizeof *heap->index) !=
      0)
    return false;
  heap->index = heap->index_arena.base;
  for (size_t i = 0; i < map->count; i++)
    fill_index(heap, &map->mappings[i]);
  return true;
}

bool
heap_objects_list(struct heap_objects *heap, struct memory_map *map)
{
  const uintptr_t alignment = objects_bare_alignment();
  *heap = (struct heap_objects){0};
  for (size_t i = 0; i < map->count && !heap->failed; i++) {
    struct mapping *const m = &map->mappings[i];
    struct search search = {heap, m, alignment};
    m->first = heap->count;
    memory_map_visit(map, m->start, m->end, search_pages, &search);
    m->count = heap->count - m->first;
  }
  return !heap->failed && make_index(heap, map);
}

void
heap_objects_release(struct heap_objects *heap)
{
  arena_release(&heap->arena);
  arena_release(&heap->index_arena);
  *heap = (struct heap_objects){0};
}

struct heap_object *
heap_objects_find(const struct heap_objects *heap,
                  const struct memory_map *map, uintptr_t address)
{
  const struct mapping *const m = memory_map_find(map, address);
  uint32_t low, high;
  struct heap_object *o;
  size_t part;
  if (m == NULL || m->count == 0 || address < heap->objects[m->first].address)
    return NULL;
  part = part_of(heap, m, address);
  high = m->first + m->count;
  low = high - 1; /* the last one that does not begin behind the address */
  if (part + 1 < count_parts(heap, m)) {
    low = heap->index[m->index + part];
    high = heap->index[m->index + part + 1];
    low -= low > m->first; /* it may begin in a part before */
  }
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
