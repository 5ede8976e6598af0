/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The entry points of mprof.h that are for heap profiles. */

#include "handles.h"

#include <stdlib.h>

static void
init_heap(void *heap)
{
  heap_profile_init(heap);
}

void *
mprof_heap_open(void)
{
  struct heap_handle *handle = calloc(1, sizeof *handle);
  if (handle == NULL)
    return NULL;
  handle->columns = HEAP_ALL;
  attempt(&handle->pool, init_heap, &handle->heap, &handle->error);
  return handle;
}

/* What is added to a heap profile. */
struct addition {
  struct heap_handle *heap;
  const struct handle *profile;
  int sign;
  unsigned columns;
};

static void
add_to_heap(void *closure)
{
  const struct selection_options all = {0};
  const struct addition *addition = closure;
  const struct profile *profile = &addition->profile->profile;
  struct heap_handle *heap = addition->heap;
  struct frame_table frames = {0};
  struct selection selection = {0};
  frame_table_init(&frames, profile);
  selection_init(&selection, profile, &frames, &all);
  struct pool *before = pool_use(&heap->pool);
  heap_profile_add(&heap->heap, &selection, addition->sign,
                   addition->columns);
  heap_profile_end(&heap->heap);
  pool_use(before);
}

void
mprof_heap_add(void *heap, void *profile, int sign, unsigned columns)
{
  struct heap_handle *handle = heap;
  struct addition addition = {handle, profile, sign, columns};
  struct pool pool = {NULL, NULL};
  struct mprof_error error;
  if (handle == NULL || profile == NULL || handle->error.code != MPROF_OK)
    return;
  if (addition.profile->error.code != MPROF_OK)
    handle->error = addition.profile->error;
  else if (!attempt(&pool, add_to_heap, &addition, &error))
    handle->error = error;
  pool_release(&pool);
}

const char *
mprof_heap_error(void *heap)
{
  const struct heap_handle *handle = heap;
  return handle == NULL ? "out of memory" : handle->error.message;
}

uint64_t
mprof_heap_samples(void *heap)
{
  const struct heap_handle *handle = heap;
  return handle == NULL ? 0 : handle->heap.sample_count;
}

int64_t
mprof_heap_sum(void *heap, int column, uint64_t first, uint64_t count)
{
  const struct heap_handle *handle = heap;
  return handle == NULL ? 0
                        : heap_profile_sum(&handle->heap, first, count,
                                           (enum heap_column)column);
}

void
mprof_heap_choose(void *heap, unsigned columns, int type_frames,
                  const char *comments)
{
  struct heap_handle *handle = heap;
  if (handle == NULL)
    return;
  handle->columns = columns;
  handle->type_frames = type_frames != 0;
  handle->comments = comments;
}

static void
fill_with_heap(void *closure)
{
  const struct filling *filling = closure;
  struct string_sink output;
  if (filling->heap->error.code != MPROF_OK) {
    result_fail(filling->result, &filling->heap->error);
    return;
  }
  string_sink_init(&output);
  heap_profile_write(&filling->heap->heap, filling->first, filling->count,
                     &filling->how, &output.sink);
  result_take(filling->result, &output, 0, "", NULL);
}

void *
mprof_heap_write(void *heap, uint64_t first, uint64_t count, int in_use,
                 int64_t time_nanos, int64_t duration_nanos)
{
  const struct heap_handle *handle = heap;
  if (handle == NULL)
    return NULL;
  struct filling filling = {
      .heap = handle,
      .first = first,
      .count = count,
      .how = {in_use ? HEAP_INUSE_SPACE : HEAP_ALLOC_SPACE, handle->columns,
              handle->type_frames, time_nanos, duration_nanos,
              handle->comments}};
  return result_new(fill_with_heap, &filling);
}

void
mprof_heap_close(void *heap)
{
  struct heap_handle *handle = heap;
  if (handle != NULL)
    pool_release(&handle->pool);
  free(handle);
}
