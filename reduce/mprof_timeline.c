/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Timelines that another program takes (recover/timeline.h), for mprof.h. */

#include "handles.h"

#include "recover/timeline.h"

#include <stdlib.h>

void *
mprof_timeline_open(uint64_t nanoseconds)
{
  struct timeline_handle *handle = calloc(1, sizeof *handle);
  if (handle == NULL)
    return NULL;
  pthread_mutex_init(&handle->one, NULL);
  handle->timeline.interval = nanoseconds;
  return handle;
}

struct taking {
  struct timeline *timeline;
  struct input_octets octets;
  uint64_t generation, now, collections;
};

static void
take(void *closure)
{
  const struct taking *taking = closure;
  struct image image;
  image_read_octets(&image, taking->octets);
  image_check_trees(&image);
  timeline_take(taking->timeline, &image, taking->generation, taking->now,
                (struct timeline_state){
                    .resident = timeline_resident_bytes(image.head.process),
                    .collections = taking->collections});
}

void
mprof_timeline_take(void *timeline, const void *octets, uint64_t length,
                    uint64_t generation, uint64_t nanoseconds,
                    uint64_t collections)
{
  struct timeline_handle *handle = timeline;
  struct taking taking = {&handle->timeline,
                          {octets, length},
                          generation,
                          nanoseconds,
                          collections};
  struct pool pool = {NULL, NULL};
  struct mprof_error error;
  pthread_mutex_lock(&handle->one);
  attempt(&pool, take, &taking, &error);
  pthread_mutex_unlock(&handle->one);
  pool_release(&pool);
}

void
mprof_timeline_close(void *timeline)
{
  struct timeline_handle *handle = timeline;
  timeline_release(&handle->timeline);
  pthread_mutex_destroy(&handle->one);
  free(handle);
}
