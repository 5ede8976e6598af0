/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * objects.c -- see objects.h.
 */
#include "malloc/interpose/objects.h"

#include "malloc/interpose/malloc_hook.h"
#include "malloc/interpose/object_table.h"
#include "tree/spin_lock.h"

/* Objects without a header, and those with one at the beginning of a page. */
static struct object_table table;
static struct spin_lock lock; /* of the table */

static void
list(const void *object, bool headed, struct counted counted, size_t bytes)
{
  const struct listed_object listed = {.address = (uintptr_t)object,
                                       .bytes = bytes,
                                       .counted = counted,
                                       .headed = headed};
  spin_lock(&lock);
  object_table_put(&table, &listed);
  spin_unlock(&lock);
}

void *
objects_give(bool own, void *base, size_t bytes, const uintptr_t *frame)
{
  struct object_header *header = base;
  struct counted counted = {0};
  void *object = header + 1;
  if (base == NULL)
    return NULL;
  if (own)
    counted = malloc_monitor_allocated((uintptr_t)object, bytes, frame);
  object_header_fill(header, counted, bytes);
  if (object_is_first_of_page(object))
    list(object, true, counted, bytes);
  return object;
}

void *
objects_give_bare(bool own, void *object, size_t bytes,
                  const uintptr_t *frame)
{
  if (object != NULL && own) {
    const struct counted counted =
        malloc_monitor_allocated((uintptr_t)object, bytes, frame);
    if (counted.leaf != 0)
      list(object, false, counted, bytes);
  }
  return object;
}

struct taken_object
objects_take(void *object)
{
  struct taken_object taken = {.base = object};
  struct object_header *const header = object_header_of(object);
  if (!object_is_first_of_page(object) && object_has_header(object)) {
    taken.headed = true;
    taken.bytes = header->bytes;
    taken.counted =
        (struct counted){.leaf = header->leaf, .epoch = header->epoch};
  } else if (table.count != 0) {
    struct listed_object listed = {0};
    spin_lock(&lock);
    object_table_take(&table, (uintptr_t)object, &listed);
    spin_unlock(&lock);
    taken.headed = listed.headed;
    taken.bytes = listed.bytes;
    taken.counted = listed.counted;
  }
  if (taken.headed) {
    taken.base = header;
    header->check = 0;
  }
  return taken;
}

void
objects_end(const void *object, const struct taken_object *taken)
{
  if (taken->counted.leaf != 0)
    malloc_monitor_freed((uintptr_t)object, taken->counted, taken->bytes);
}

void
objects_put_back(void *object, const struct taken_object *taken)
{
  if (taken->headed)
    object_header_of(object)->check = object_header_check(object);
  if (taken->headed ? object_is_first_of_page(object)
                    : taken->counted.leaf != 0)
    list(object, taken->headed, taken->counted, taken->bytes);
}

void *
objects_base(void *object, bool *headed)
{
  if (object_is_first_of_page(object)) {
    const struct listed_object *listed;
    spin_lock(&lock);
    listed = object_table_find(&table, (uintptr_t)object);
    *headed = listed != NULL && listed->headed;
    spin_unlock(&lock);
  } else {
    *headed = object_has_header(object);
  }
  return *headed ? object_header_of(object) : object;
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
