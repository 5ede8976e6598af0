/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "c/interpose/objects.h"

#include <errno.h>
#include <string.h>

#include "c/count/nonlocal_exit.h"
#include "image/spin_lock.h"

/* Objects without a header, and those that need more than it. */
static struct object_table table;
static struct spin_lock lock; /* of the table */
static bool all_are_listed;

/* A place for one more.  False: there is no memory, and the object cannot be
 * counted, as it would not be known when it is freed. */
static bool
reserve_place(void)
{
  const int saved = errno;
  spin_lock(&lock);
  bool reserved = object_table_reserve(&table);
  spin_unlock(&lock);
  if (!reserved && is_program_call())
    malloc_monitor_miss();
  errno = saved;
  return reserved;
}

static void
unreserve_place(void)
{
  const int saved = errno;
  spin_lock(&lock);
  object_table_unreserve(&table);
  spin_unlock(&lock);
  errno = saved;
}

static void
add_to_table(const struct object_record *object)
{
  spin_lock(&lock);
  object_table_put(&table, object);
  spin_unlock(&lock);
}

bool
objects_recover(const uintptr_t *frame)
{
  if (!nonlocal_exit_recover(frame))
    return false;
  if (spin_holds(&lock))
    spin_unlock(&lock);
  return true;
}

/* An object that has to be listed and cannot gets no header. */
void *
objects_register(void *base, size_t bytes, const uintptr_t *frame,
                 bool filled)
{
  struct object_header *header = base;
  struct counted counted = {0};
  void *object = base == NULL ? NULL : header + 1;
  const bool own =
      base != NULL && (is_program_call() || objects_recover(frame));
  const bool listed = base != NULL && object_is_listed(object, bytes);
  if (listed && !reserve_place()) {
    if (filled)
      memmove(base, object, bytes);
    object = base;
  } else if (base != NULL) {
    if (own)
      counted = malloc_monitor_allocated((uintptr_t)object, bytes, frame);
    object_header_fill(header, counted, bytes);
    if (listed) {
      header->check = 0; /* the table is to be asked */
      add_to_table(&(struct object_record){(uintptr_t)object, bytes, counted,
                                           .headed = true, .listed = true});
    }
  }
  malloc_monitor_inside--;
  return object;
}

void
objects_unregister_bare(void *object, struct object_record *taken)
{
  *taken = (struct object_record){.address = (uintptr_t)object};
  if (__atomic_load_n(&table.count, __ATOMIC_RELAXED) != 0) {
    spin_lock(&lock);
    object_table_remove(&table, taken->address, taken);
    spin_unlock(&lock);
  }
}

void
objects_count_free(const struct object_record *taken)
{
  if (taken->counted.leaf != 0)
    malloc_monitor_freed(taken->address, taken->counted, taken->bytes);
  if (taken->listed)
    unreserve_place();
}

void *
objects_register_bare(void *object, size_t bytes, const uintptr_t *frame)
{
  struct object_record given = {
      .address = (uintptr_t)object, .bytes = bytes, .listed = true};
  struct object_record before;
  if (object != NULL) {
    objects_unregister_bare(object, &before);
    objects_count_free(&before);
  }
  if (object != NULL && (is_program_call() || objects_recover(frame)) &&
      reserve_place()) {
    given.counted = malloc_monitor_allocated(given.address, bytes, frame);
    if (given.counted.leaf != 0 || all_are_listed)
      add_to_table(&given);
    else
      unreserve_place();
  }
  malloc_monitor_inside--;
  return object;
}

void
objects_unregister(void *object, struct object_record *taken)
{
  const uintptr_t address = (uintptr_t)object;
  struct object_header *const header = object_header_of(object);
  if (!object_is_first_of_page(object) && object_has_header(object)) {
    *taken = (struct object_record){
        address, header->bytes, {header->leaf, header->epoch}, true, false};
  } else {
    objects_unregister_bare(object, taken);
  }
  if (taken->headed)
    header->check = 0;
}

void
objects_restore(const struct object_record *taken)
{
  void *const object = (void *)taken->address;
  if (taken->listed)
    add_to_table(taken);
  else if (taken->headed)
    object_header_of(object)->check = object_header_check(object);
}

size_t
objects_header_bytes(void *object)
{
  const struct object_record *listed;
  bool headed = !object_is_first_of_page(object) && object_has_header(object);
  if (!headed) {
    spin_lock(&lock);
    listed = object_table_find(&table, (uintptr_t)object);
    headed = listed != NULL && listed->headed;
    spin_unlock(&lock);
  }
  return headed ? HEADER_BYTES : 0;
}

void
objects_list_all(void)
{
  all_are_listed = true;
}

void
objects_lock(void)
{
  spin_lock(&lock);
}

void
objects_unlock(void)
{
  spin_unlock(&lock);
}

void
objects_describe(struct image_search *search)
{
  search->objects = (uintptr_t)&table;
  search->objects_bytes = sizeof table;
  search->objects_lock = (uintptr_t)&lock;
}
