/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * objects.c -- see objects.h.
 */
#include "malloc/objects.h"

#include "malloc/malloc_hook.h"
#include "malloc/object_table.h"
#include "malloc/real_allocator.h"
#include "tree/spin_lock.h"

/* Objects without a header, and those with one at the beginning of a page. */
static struct spin_lock lock;
static struct object_table bare, first_of_page;

void
objects_list_first(void *object)
{
  struct table_object listed = {.leaf = 1};
  spin_lock(&lock);
  object_table_add(&first_of_page, (uintptr_t)object, 0, &listed);
  spin_unlock(&lock);
}

bool
objects_unlist_first(void *object)
{
  struct table_object listed;
  bool found;
  spin_lock(&lock);
  found = object_table_remove(&first_of_page, (uintptr_t)object, 0, &listed);
  spin_unlock(&lock);
  return found;
}

void *
objects_give(bool own, void *base, size_t bytes, const uintptr_t *frame)
{
  struct object_header *header = base;
  struct counted counted = {0};
  void *object = header + 1;
  if (base == NULL)
    return NULL;
  if (object_is_first_of_page(object))
    objects_list_first(object);
  if (own)
    counted = malloc_monitor_allocated((uintptr_t)object, bytes, frame);
  object_header_fill(header, counted, bytes);
  return object;
}

void *
objects_give_bare(bool own, void *object, size_t bytes,
                  const uintptr_t *frame)
{
  struct counted counted = {0};
  if (object == NULL || !own)
    return object;
  counted = malloc_monitor_allocated((uintptr_t)object, bytes, frame);
  if (counted.leaf != 0) {
    struct table_object live = {.leaf = counted.leaf, .bytes = bytes};
    spin_lock(&lock);
    if (counted.epoch == malloc_monitor_epoch())
      object_table_add(&bare, (uintptr_t)object,
                       real.malloc_usable_size(object), &live);
    spin_unlock(&lock);
  }
  return object;
}

static bool
take_bare(void *object, struct table_object *live)
{
  const size_t usable = real.malloc_usable_size(object);
  bool found;
  spin_lock(&lock);
  found = object_table_remove(&bare, (uintptr_t)object, usable, live);
  spin_unlock(&lock);
  return found;
}

struct taken_object
objects_take(void *object)
{
  struct taken_object taken = {.base = object};
  struct table_object live = {0};
  if (__builtin_expect(object_is_first_of_page(object), 0))
    taken.headed = objects_unlist_first(object);
  else
    taken.headed = object_has_header(object);
  if (taken.headed) {
    struct object_header *header = object_header_of(object);
    taken.base = header;
    taken.leaf = header->leaf;
    taken.bytes = header->bytes;
    taken.epoch = header->epoch;
    header->check = 0;
  } else if (bare.all.count != 0 && take_bare(object, &live)) {
    taken.leaf = live.leaf;
    taken.bytes = live.bytes;
    taken.epoch = malloc_monitor_epoch(); /* the table is of this one */
  }
  if (taken.leaf != 0)
    taken.recent = malloc_monitor_freed((uintptr_t)object, taken.leaf,
                                        taken.epoch, taken.bytes);
  return taken;
}

void
objects_put_back(void *object, const struct taken_object *taken)
{
  if (taken->headed)
    object_header_of(object)->check = object_header_check(object);
  if (taken->headed && object_is_first_of_page(object))
    objects_list_first(object);
  if (taken->leaf == 0)
    return;
  malloc_monitor_not_freed((uintptr_t)object, taken->leaf, taken->epoch,
                           taken->bytes, taken->recent);
  if (!taken->headed) {
    struct table_object live = {.leaf = taken->leaf, .bytes = taken->bytes};
    spin_lock(&lock);
    object_table_add(&bare, (uintptr_t)object,
                     real.malloc_usable_size(object), &live);
    spin_unlock(&lock);
  }
}

void *
objects_base(void *object, bool *headed)
{
  struct table_object listed;
  if (object_is_first_of_page(object)) {
    spin_lock(&lock);
    *headed =
        object_table_find(&first_of_page, (uintptr_t)object, 0, &listed);
    spin_unlock(&lock);
  } else {
    *headed = object_has_header(object);
  }
  return *headed ? object_header_of(object) : object;
}

void
objects_forget(void)
{
  spin_lock(&lock);
  object_table_clear(&bare);
  spin_unlock(&lock);
}

void
objects_before_fork(void)
{
  spin_lock(&lock);
}

void
objects_after_fork(void)
{
  spin_unlock(&lock);
}
