/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * objects.h -- between the interposed functions and the real allocator: gives
 * objects to the program, with a header or without, takes them back, and
 * tells the monitor.
 *
 * `own' says that the program itself asks, and not mprof or the real
 * allocator in the midst of another call; nothing else is counted.  What was
 * counted and is given back always is.  Keeps errno.
 */
#ifndef MPROF_OBJECTS_H
#define MPROF_OBJECTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "malloc/malloc_monitor.h"
#include "malloc/object_header.h"

/* An object is the first of its page; or is not any more: whether it was. */
void objects_list_first(void *object);
bool objects_unlist_first(void *object);

/* The program's object of `bytes', for which the real allocator gave `base',
 * with HEADER_BYTES more than that; NULL for NULL.  `frame' is the frame of
 * the interposed function. */
static inline void *
objects_give(bool own, void *base, size_t bytes, const uintptr_t *frame)
{
  struct object_header *header = base;
  struct counted counted = {0};
  void *object = header + 1;
  if (base == NULL)
    return NULL;
  if (__builtin_expect(object_is_first_of_page(object), 0))
    objects_list_first(object);
  if (own)
    counted = malloc_monitor_allocated((uintptr_t)object, bytes, frame);
  header->check = object_header_check(object);
  header->leaf = counted.leaf;
  header->epoch = counted.epoch;
  header->bytes = bytes & ((UINT64_C(1) << 48) - 1);
  return object;
}

/* The same for an object that keeps the address, and has no header. */
void *objects_give_bare(bool own, void *object, size_t bytes,
                        const uintptr_t *frame);

/* What is known of an object that the program gave back. */
struct taken_object {
  void *base; /* what to give to the real allocator */
  size_t bytes;
  uint32_t leaf; /* 0: it was not counted */
  uint16_t epoch;
  bool headed;
  unsigned recent; /* see malloc_monitor_freed */
};

/* The program gives `object' back, not NULL and no early memory. */
struct taken_object objects_take(void *object);

/* The same for most objects, which have a header that can be looked for where
 * it would be: what to give to the real allocator. */
static inline void *
objects_take_headed(void *object)
{
  struct object_header *header = object_header_of(object);
  header->check = 0;
  if (header->leaf != 0)
    malloc_monitor_freed((uintptr_t)object, header->leaf, header->epoch,
                         header->bytes);
  return header;
}

/* It has it still, since realloc failed. */
void objects_put_back(void *object, const struct taken_object *taken);

/* What the real allocator knows `object' as, which stays the program's. */
void *objects_base(void *object, bool *headed);

/* No object is counted any more.  The monitor's lock may be held. */
void objects_forget(void);

/* Nobody else is in here while the process is copied; in both copies. */
void objects_before_fork(void);
void objects_after_fork(void);

#endif
