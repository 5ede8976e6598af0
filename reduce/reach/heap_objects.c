/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Reads all memory of a process word by word.  An object is where the check
 * of its header is right, or where the table of objects has it. */

#include "reach/stopped_program.h"

#include "base/array.h"
#include "c/interpose/object_header.h"
#include "c/interpose/object_table.h"

/* All allocators give out multiples of it. */
enum { LEAST_ALIGNMENT = sizeof(uint64_t) };

struct listing {
  struct heap_objects *heap;
  const struct remote_memory *memory;
  const struct stripes *counters;
};

/* Adds what seems to be an object at ADDRESS, unless its size or its leaf is
 * impossible: other memory has the check of one by chance. */
static void
add_object(struct listing *l, uint64_t address, uint64_t bytes,
           struct counted counted)
{
  struct heap_objects *heap = l->heap;
  const uint32_t leaf = owned_leaf_number(counted.leaf);
  const struct mapping *m = remote_memory_find(l->memory, address);
  if (m == NULL || bytes > m->end - address || leaf >= l->counters->leaves)
    return;
  const struct heap_object object = {
      .address = address,
      .bytes = bytes,
      .leaf = counted.epoch == l->counters->epoch ? leaf : 0};
  if (heap->count == UINT32_MAX - 1)
    fail_memory();
  ARRAY_PUSH(heap->objects, heap->count, heap->capacity, object);
}

static void
add_headed(void *listing, uint64_t start, const char *bytes, size_t length)
{
  for (size_t at = -start % LEAST_ALIGNMENT; at < length;
       at += LEAST_ALIGNMENT) {
    const uint64_t address = start + at;
    struct object_header header;
    if (at < sizeof header ||
        object_is_first_of_page((void *)(uintptr_t)address))
      continue;
    memcpy(&header, bytes + at - sizeof header, sizeof header);
    if (header.check == object_header_check((void *)(uintptr_t)address))
      add_object(listing, address, header.bytes,
                 (struct counted){header.leaf, header.epoch});
  }
}

/* Adds those in the table. */
static void
add_listed(struct listing *l, uint64_t table)
{
  struct object_table head;
  remote_memory_load(l->memory, table, &head,
                     offsetof(struct object_table, first));
  if (head.objects == NULL || head.bits >= 32)
    return;
  const size_t count = (size_t)1 << head.bits;
  struct object_record *records = pool_zeroed(count, sizeof *records);
  remote_memory_load(l->memory, (uintptr_t)head.objects, records,
                     count * sizeof *records);
  for (size_t i = 0; i < count; i++)
    if (records[i].address != 0)
      add_object(l, records[i].address, records[i].bytes, records[i].counted);
  pool_free(records);
}

void
heap_objects_list(struct heap_objects *heap, struct remote_memory *memory,
                  const struct stripes *counters,
                  const struct image_search *search)
{
  struct listing l = {heap, memory, counters};
  for (size_t i = 0; i < memory->count; i++)
    remote_memory_visit(memory, memory->mappings[i].start,
                        memory->mappings[i].end, add_headed, &l);
  const size_t in_order = heap->count;
  add_listed(&l, search->objects);
  if (heap->count > in_order)
    array_sort(heap->objects, heap->count, sizeof *heap->objects,
               array_compare_numbers);
}

struct heap_object *
heap_objects_find(const struct heap_objects *heap, uint64_t address)
{
  const size_t count = array_count_until(heap->objects, heap->count,
                                         sizeof *heap->objects, address);
  struct heap_object *o = count == 0 ? NULL : &heap->objects[count - 1];
  return o != NULL && address - o->address < (o->bytes == 0 ? 1 : o->bytes)
             ? o
             : NULL;
}
