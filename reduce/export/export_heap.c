/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* A heap profile of what is selected. */

#include "export/export.h"
#include "export/heap_profile.h"

/* The sample type that comes first, for the measure that is asked for. */
static enum heap_column
shown_column(enum measure value)
{
  switch (value) {
  case MEASURE_ALLOCS:
    return HEAP_ALLOC_OBJECTS;
  case MEASURE_KEPT_ALLOCS:
    return HEAP_INUSE_OBJECTS;
  case MEASURE_KEPT_BYTES:
    return HEAP_INUSE_SPACE;
  default:
    return HEAP_ALLOC_SPACE;
  }
}

void
export_heap(const struct reduction *reduction, struct sink *sink)
{
  struct heap_profile heap;
  heap_profile_init(&heap);
  heap_profile_add(&heap, &reduction->selection, 1, HEAP_ALL);
  heap_profile_end(&heap);
  heap_profile_write(
      &heap, 0, heap.sample_count,
      &(struct heap_writing){shown_column(reduction_measure(reduction)),
                             HEAP_ALL, false, reduction->profile->time_nanos,
                             reduction->profile->duration_nanos, NULL},
      sink);
}
