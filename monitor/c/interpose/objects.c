/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "c/interpose/objects.h"

#include <string.h>

#include "c/count/nonlocal_exit.h"
#include "image/spin_lock.h"

static struct object_table table; /* of objects without a header */

static void __attribute__((constructor)) guard_table(void)
{
  monitor.objects = &table.lock;
}

/* Forgets an object without a header, as objects_unregister does.  In a
 * handler of a signal that interrupted a change of the table, the object
 * stays there until its address is given out again. */
static void
objects_unregister_bare(void *object, struct object_record *taken)
{
  *taken = (struct object_record){.address = (uintptr_t)object};
  own_process_known(); /* else another thread's lock may be held */
  if (!spin_holds(&table.lock))
    object_table_remove(&table, taken->address, taken);
}

void
objects_count_free(const struct object_record *taken)
{
  if (taken->counted.leaf != 0)
    monitor_freed(taken->address, taken->counted, taken->bytes);
  if (taken->listed)
    object_table_unreserve(&table);
}

void *
objects_register_bare(void *object, size_t bytes, const uintptr_t *frame)
{
  struct object_record given = {
      .address = (uintptr_t)object, .bytes = bytes, .listed = true};
  struct object_record before;
  if (object != NULL && (is_program_call() || nonlocal_exit_recover(frame))) {
    objects_unregister_bare(object, &before);
    objects_count_free(&before);
    if (!object_table_reserve(&table)) {
      monitor_miss(); /* it would not be known when it is freed */
    } else {
      given.counted = monitor_allocated(given.address, bytes, frame);
      if (given.counted.leaf != 0 || table.lists_all)
        object_table_put(&table, &given);
      else
        object_table_unreserve(&table);
    }
  }
  this_thread.inside--;
  return object;
}

void *
objects_register(void *base, size_t bytes, const uintptr_t *frame,
                 bool filled)
{
  struct object_header *header = base;
  struct counted counted = {0};
  if (base != NULL && object_is_listed(header + 1, bytes)) {
    if (filled)
      memmove(base, header + 1, bytes);
    return objects_register_bare(base, bytes, frame);
  }
  if (base != NULL) {
    if (is_program_call() || nonlocal_exit_recover(frame))
      counted = monitor_allocated((uintptr_t)(header + 1), bytes, frame);
    object_header_fill(header, counted, bytes);
  }
  this_thread.inside--;
  return base == NULL ? NULL : header + 1;
}

void
objects_unregister(void *object, struct object_record *taken)
{
  const uintptr_t address = (uintptr_t)object;
  struct object_header *const header = object_header_of(object);
  if (object_has_header(object)) {
    *taken = (struct object_record){
        address, header->bytes, {header->leaf, header->epoch}, true, false};
    header->check = 0;
  } else {
    objects_unregister_bare(object, taken);
  }
}

void
objects_restore(const struct object_record *taken)
{
  void *const object = (void *)taken->address;
  if (taken->listed)
    object_table_put(&table, taken);
  else if (taken->headed)
    object_header_of(object)->check = object_header_check(object);
}

void
objects_reserve(size_t more)
{
  object_table_make_room(&table, more);
}

void
objects_list_all(void)
{
  table.lists_all = true;
}

void
objects_lock(void)
{
  spin_lock(&table.lock);
}

void
objects_unlock(void)
{
  spin_unlock(&table.lock);
}

void
objects_describe(struct image_search *search)
{
  search->objects = (uintptr_t)&table;
  search->objects_bytes = sizeof table;
  search->objects_lock = (uintptr_t)&table.lock;
}
