/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "reach/heap_objects.h"

#include "base/array.h"
#include "c/interpose/object_header.h"
#include "c/interpose/object_table.h"

/* All allocators give out multiples of it. */
enum { LEAST_ALIGNMENT = sizeof(uint64_t) };

struct search {
  struct heap_objects *heap;
  const struct remote_memory *memory;
};

/* ---- to find them ------------------------------------------------------ */

/* What is no object has the check of one by chance: then the rest must be
 * possible too. */
static void
add_object(const struct search *s, uint64_t address, uint64_t bytes,
           struct counted counted)
{
  struct heap_objects *heap = s->heap;
  const uint32_t leaf = owned_leaf_number(counted.leaf);
  const struct mapping *m = remote_memory_find(s->memory, address);
  if (m == NULL || bytes > m->end - address || leaf >= heap->leaves)
    return;
  const struct heap_object object = {
      .address = address,
      .bytes = bytes,
      .leaf = counted.epoch == heap->epoch ? leaf : 0};
  if (heap->count >= UINT32_MAX - 1 ||
      !ARRAY_PUSH(heap->objects, heap->count, heap->capacity, object))
    heap->failed = true;
}

static void
search_pages(void *closure, uint64_t start, const char *bytes, size_t length)
{
  const struct search *s = closure;
  for (size_t at = -start % LEAST_ALIGNMENT; at < length;
       at += LEAST_ALIGNMENT) {
    const uint64_t address = start + at;
    struct object_header header;
    if (at < sizeof header ||
        object_is_first_of_page((void *)(uintptr_t)address))
      continue;
    memcpy(&header, bytes + at - sizeof header, sizeof header);
    if (header.check == object_header_check((void *)(uintptr_t)address))
      add_object(s, address, header.bytes,
                 (struct counted){header.leaf, header.epoch});
  }
}

/* Those in the table. */
static bool
add_listed(const struct search *s, uint64_t table)
{
  struct object_table head;
  if (!remote_memory_copy(s->memory, table, &head,
                          offsetof(struct object_table, first)))
    return false;
  if (head.objects == NULL || head.bits >= 32)
    return head.objects == NULL;
  const size_t count = (size_t)1 << head.bits;
  struct object_record *records = array_zeroed(count, sizeof *records);
  bool good = records != NULL &&
              remote_memory_copy(s->memory, (uintptr_t)head.objects, records,
                                 count * sizeof *records);
  for (size_t i = 0; good && i < count; i++)
    if (records[i].address != 0)
      add_object(s, records[i].address, records[i].bytes, records[i].counted);
  free(records);
  return good;
}

static int
by_address(const void *a, const void *b)
{
  const uint64_t x = ((const struct heap_object *)a)->address;
  const uint64_t y = ((const struct heap_object *)b)->address;
  return (x > y) - (x < y);
}

/* Brings those behind the first HEADED, which are in order, among them. */
static bool
merge(struct heap_objects *heap, size_t headed)
{
  size_t left = heap->count - headed;
  size_t end = heap->count;
  struct heap_object *all = heap->objects;
  struct heap_object *listed = array_zeroed(left, sizeof *listed);
  if (listed == NULL)
    return false;
  if (left > 0)
    memcpy(listed, all + headed, left * sizeof *listed);
  array_sort(listed, left, sizeof *listed, by_address);
  while (left > 0)
    if (headed > 0 && all[headed - 1].address > listed[left - 1].address)
      all[--end] = all[--headed];
    else
      all[--end] = listed[--left];
  free(listed);
  return true;
}

/* Gives each mapping its objects. */
static void
place_objects(const struct heap_objects *heap, struct remote_memory *memory)
{
  uint32_t next = 0;
  for (size_t i = 0; i < memory->count; i++) {
    struct mapping *m = &memory->mappings[i];
    m->first = next;
    while (next < heap->count && heap->objects[next].address < m->end)
      next++;
    m->count = next - m->first;
  }
}

/* ---- the whole --------------------------------------------------------- */

bool
heap_objects_list(struct heap_objects *heap, struct remote_memory *memory,
                  const struct image_search *search, uint32_t epoch,
                  uint32_t leaves)
{
  struct search s = {heap, memory};
  *heap = (struct heap_objects){.epoch = epoch, .leaves = leaves};
  for (size_t i = 0; i < memory->count && !heap->failed; i++)
    remote_memory_visit(memory, memory->mappings[i].start,
                        memory->mappings[i].end, search_pages, &s);
  const size_t headed = heap->count;
  if (!add_listed(&s, search->objects) || heap->failed || memory->failed)
    return false;
  if (!merge(heap, headed))
    return false;
  place_objects(heap, memory);
  return true;
}

void
heap_objects_release(struct heap_objects *heap)
{
  free(heap->objects);
  *heap = (struct heap_objects){0};
}

/* A number between LOW and HIGH, both not included, where the object with the
 * ADDRESS is if they lie as close everywhere. */
static uint32_t
guess(const struct heap_object *objects, uint32_t low, uint32_t high,
      uint64_t address)
{
  const double before = (double)(address - objects[low].address);
  const double all =
      (double)(objects[high - 1].address - objects[low].address) + 1;
  const double at = low + before / all * (high - low);
  return at < low + 1. ? low + 1 : at > high - 1. ? high - 1 : (uint32_t)at;
}

/* Each second look is in the middle. */
struct heap_object *
heap_objects_find(const struct heap_objects *heap,
                  const struct remote_memory *memory, uint64_t address)
{
  const struct mapping *m = remote_memory_find(memory, address);
  if (m == NULL || m->count == 0 || address < heap->objects[m->first].address)
    return NULL;
  uint32_t low = m->first; /* the last that does not begin behind it */
  uint32_t high = low + m->count;
  for (bool guesses = true; high - low > 1; guesses = !guesses) {
    const uint32_t at = guesses ? guess(heap->objects, low, high, address)
                                : low + (high - low) / 2;
    if (heap->objects[at].address <= address)
      low = at;
    else
      high = at;
  }
  struct heap_object *o = &heap->objects[low];
  return address - o->address < (o->bytes == 0 ? 1 : o->bytes) ? o : NULL;
}
