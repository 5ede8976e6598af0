/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "lisp/holders/heap.h"

/* Our own threads are none of the collector's business. */
#define GC_THREADS
#define GC_NO_THREAD_REDIRECTS
#include <gc/gc.h>
#include <gc/gc_mark.h>

enum { LIST_TAG = 1, TAGS = 1 }; /* displacements that ECL registers */

/* ---- objects ---- */

/* Its record is zero, and so is the one behind it.  What has no address gets
 * a key that is none. */
uint32_t
heap_add(struct heap *heap, uint64_t address)
{
  const uint64_t number = heap_count(heap) + UINT64_C(1);
  if (arena_record(&heap->objects, number + 1, sizeof(struct image_object)) ==
          NULL ||
      intern_key(&heap->addresses,
                 address != 0 ? address : number << 1 | 1) == 0) {
    heap->failed = true;
    return 0;
  }
  return heap_count(heap);
}

static void GC_CALLBACK
take_object(void *object, size_t bytes, void *heap)
{
  (void)bytes;
  heap_add(heap, (uintptr_t)object);
}

void
heap_take_objects(struct heap *heap)
{
  GC_enumerate_reachable_objects_inner(take_object, heap);
  heap->collected = heap_count(heap);
}

bool
heap_object_has(const struct heap *heap, uint32_t number, size_t bytes)
{
  void *const memory = (void *)(uintptr_t)heap_address(heap, number);
  return GC_base(memory) == memory && GC_size(memory) >= bytes;
}

uint32_t
heap_find(const struct heap *heap, uint64_t word)
{
  const uint64_t address = word & ~(uint64_t)TAGS;
  return (address & 7) != 0 || address == 0
             ? 0
             : intern_find_key(&heap->addresses, address);
}

/* ---- references ---- */

void
heap_begin_references(struct heap *heap, uint32_t number)
{
  heap_object(heap, number)->references = heap->reference_count;
}

/* What nobody holds need not be referred to. */
void
heap_refer(struct heap *heap, uint64_t word)
{
  const uint32_t number = heap_find(heap, word);
  uint32_t *reference;
  if (number == 0)
    return;
  if ((word & TAGS) == LIST_TAG)
    heap_object(heap, number)->flags |= IMAGE_CONS;
  if ((heap_object(heap, number)->flags & IMAGE_ROOT_OBJECT) != 0)
    return;
  reference = heap->reference_count == UINT32_MAX
                  ? NULL
                  : arena_record(&heap->references, heap->reference_count,
                                 sizeof *reference);
  if (reference == NULL) {
    heap->failed = true;
    return;
  }
  *reference = number;
  heap->reference_count++;
}

/* The kind of objects without pointers has the number 0, and 3 when they are
 * uncollectable (gc_mark.h). */
static bool
has_pointers(const void *object, size_t *bytes)
{
  const int kind = GC_get_kind_and_size(object, bytes);
  return kind != 0 && kind != 3;
}

void
heap_read_objects(struct heap *heap)
{
  for (uint32_t i = 1; i <= heap->collected && !heap->failed; i++) {
    const uint64_t *const words =
        (const uint64_t *)(uintptr_t)heap_address(heap, i);
    size_t bytes;
    heap_begin_references(heap, i);
    if (!has_pointers(words, &bytes))
      continue;
    for (size_t w = 0; w < bytes / sizeof *words; w++)
      heap_refer(heap, words[w]);
  }
}

void
heap_release(struct heap *heap)
{
  arena_release(&heap->objects);
  intern_table_release(&heap->addresses);
  arena_release(&heap->references);
  *heap = (struct heap){0};
}
