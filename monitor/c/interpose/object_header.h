/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * object_header.h -- the 16 bytes before each object that the program has:
 * the leaf of the context tree that it is counted in, and its size.
 *
 *     what the real allocator gave          what the program gets
 *     v                                     v
 *     +-----------+----------+-----------+----------+-----------
 *     | check     | leaf     | epoch     | bytes    | the object
 *     +-----------+----------+-----------+----------+-----------
 *
 * So no object is looked up in memory far from it, and dead ones take none.
 *
 * Not all objects have a header: those with an alignment of their own are in
 * a table (object_table.h), and others the real allocator gave out unseen by
 * mprof.  The check is a hash of the address, and cleared when the object is
 * freed; other words hold it by chance once in 2^32.  A header can be read
 * before any address but the first of a page, as it is on the page of its
 * object.  An object that would be there (one in 256) has no header, but what
 * the real allocator gave; nor has one that is too large for it. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "c/count/monitor.h"

struct object_header {
  uint32_t check;
  owned_leaf leaf; /* 0: it was not counted */
  uint32_t epoch;  /* of the figures that `leaf' is in */
  uint32_t bytes;  /* requested */
};

enum { HEADER_BYTES = sizeof(struct object_header), HEADER_PAGE = 4096 };

_Static_assert(HEADER_BYTES == 16, "objects keep the alignment of malloc");

/* Returns where the header would be, also for NULL. */
static inline struct object_header *
object_header_of(void *object)
{
  return (struct object_header *)((uintptr_t)object - HEADER_BYTES);
}

static inline uint32_t
object_header_check(const void *object)
{
  return (uint32_t)(((uintptr_t)object * UINT64_C(0x9E3779B97F4A7C15)) >> 32);
}

/* Fills the header of the object behind it. */
static inline void
object_header_fill(struct object_header *header, struct counted counted,
                   size_t bytes)
{
  header->check = object_header_check(header + 1);
  header->leaf = counted.leaf;
  header->epoch = counted.epoch;
  header->bytes = (uint32_t)bytes;
}

/* Returns true if the object begins a page, and for NULL. */
static inline bool
object_is_first_of_page(const void *object)
{
  return ((uintptr_t)object & (HEADER_PAGE - 1)) < HEADER_BYTES;
}

/* Returns true if an object of `bytes' at that address gets no header. */
static inline bool
object_is_listed(const void *object, size_t bytes)
{
  return object_is_first_of_page(object) || bytes > UINT32_MAX;
}

/* Returns whether there is a header before the object.  The sanitizer does
 * not look, as the words before other objects may not be the program's. */
static inline UNSANITIZED bool
object_has_header(void *object)
{
  return !object_is_first_of_page(object) &&
         object_header_of(object)->check == object_header_check(object);
}
