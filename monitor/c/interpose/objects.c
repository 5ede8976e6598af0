/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "c/interpose/objects.h"

#include "c/count/thread.h"
#include "image/spin_lock.h"

void
objects_unregister_bare(void *object, struct object_record *taken)
{
  *taken = (struct object_record){.address = (uintptr_t)object};
  own_process_known(); /* else another thread's lock may be held */
  if (!spin_holds(&monitor.objects.lock))
    object_table_remove(&monitor.objects, taken->address, taken);
}

void
objects_count_free(const struct object_record *taken)
{
  if (taken->counted.leaf != 0)
    monitor_freed(taken->address, taken->counted, taken->bytes);
  if (taken->listed)
    object_table_unreserve(&monitor.objects);
}

void *
objects_register_bare(void *object, size_t bytes, const uintptr_t *frame)
{
  struct object_record given = {
      .address = (uintptr_t)object, .bytes = bytes, .listed = true};
  struct object_record before;
  if (object != NULL && (is_program_call() || thread_recover(frame))) {
    objects_unregister_bare(object, &before);
    objects_count_free(&before);
    if (!object_table_reserve(&monitor.objects)) {
      monitor_miss(); /* it would not be known when it is freed */
    } else {
      given.counted = monitor_allocated(given.address, bytes, frame);
      if (given.counted.leaf != 0 || monitor.objects.lists_all)
        object_table_put(&monitor.objects, &given);
      else
        object_table_unreserve(&monitor.objects);
    }
  }
  this_thread.inside--;
  return object;
}

void *
objects_register(void *object, size_t bytes, const uintptr_t *frame)
{
  uint64_t *const mark = object_mark_place(object, bytes);
  struct counted counted = {0};
  if (mark == NULL)
    return objects_register_bare(object, bytes, frame);
  if (is_program_call() || thread_recover(frame))
    counted = monitor_allocated((uintptr_t)object, bytes, frame);
  object_set_mark(object, mark, counted, bytes);
  this_thread.inside--;
  return object;
}

void
objects_unregister(void *object, struct object_record *taken)
{
  const uintptr_t address = (uintptr_t)object;
  uint64_t *const mark = object_mark_find(object);
  if (mark != NULL) {
    *taken = (struct object_record){
        .address = address,
        .bytes = object_mark_size(*mark),
        .counted = {object_mark_leaf(*mark, address),
                    object_mark_epoch(*mark, address)},
        .marked = true};
    *mark = 0;
  } else {
    objects_unregister_bare(object, taken);
  }
}

void
objects_restore(const struct object_record *taken)
{
  void *const object = (void *)taken->address;
  if (taken->listed)
    object_table_put(&monitor.objects, taken);
  else if (taken->marked)
    object_set_mark(object, object_mark_place(object, taken->bytes),
                    taken->counted, taken->bytes);
}
