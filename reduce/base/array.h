/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Growing arrays.  The owner keeps pointer, count and capacity; this gives
 * the one routine that makes room, with overflow checked and capacity
 * doubled, so that n additions cost O(n).
 */

#ifndef MPROF_ARRAY_H
#define MPROF_ARRAY_H

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

/* Makes room for NEEDED items of ITEM_BYTES bytes each in the array ITEMS
 * of *CAPACITY items.  Gives back the array, which may have moved, and
 * updates *CAPACITY; or NULL when memory runs out, with ITEMS as it was. */
static inline void *
array_reserve(void *items, size_t *capacity, size_t needed, size_t item_bytes)
{
  if (needed <= *capacity && items != NULL)
    return items;
  size_t wanted = *capacity < 8 ? 8 : *capacity;
  while (wanted < needed) {
    if (wanted > SIZE_MAX / 2)
      return NULL;
    wanted *= 2;
  }
  if (wanted > SIZE_MAX / item_bytes)
    return NULL;
  void *grown = realloc(items, wanted * item_bytes);
  if (grown != NULL)
    *capacity = wanted;
  return grown;
}

/* Sorts COUNT items of ITEM_BYTES bytes; ITEMS may be NULL when COUNT is
 * zero. */
static inline void
array_sort(void *items, size_t count, size_t item_bytes,
           int (*compare)(const void *, const void *))
{
  if (count > 1)
    qsort(items, count, item_bytes, compare);
}

/* A zeroed array of COUNT items; never NULL for a COUNT of zero unless
 * memory runs out.  The caller frees it. */
static inline void *
array_zeroed(size_t count, size_t item_bytes)
{
  return calloc(count == 0 ? 1 : count, item_bytes);
}

#endif
