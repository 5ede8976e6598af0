/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Growing arrays.  The owner keeps pointer, count and capacity; this makes
 * room, with overflow checked and capacity doubled, so that n additions cost
 * O(n).
 */

#pragma once

#include "base/pool.h"

#include <stdlib.h>
#include <string.h>

/* Makes room for NEEDED items of ITEM_BYTES bytes each.  ARRAY is the address
 * of the pointer to the items, which may be NULL; *CAPACITY is how many fit.
 * Both are updated.  A new array is in the pool in use. */
static inline void
array_room(void *array, size_t *capacity, size_t needed, size_t item_bytes)
{
  void *items;
  memcpy(&items, array, sizeof items);
  if (needed <= *capacity && items != NULL)
    return;
  size_t wanted = *capacity < 8 ? 8 : *capacity;
  while (wanted < needed)
    wanted = wanted > SIZE_MAX / 2 ? needed : wanted * 2;
  if (wanted > SIZE_MAX / item_bytes)
    fail_memory();
  items = pool_resize(items, wanted * item_bytes);
  memcpy(array, &items, sizeof items);
  *capacity = wanted;
}

#define ARRAY_ROOM(items, capacity, needed)                                  \
  array_room(&(items), &(capacity), needed, sizeof *(items))

/* Appends an item, the last argument, to the array ITEMS of COUNT. */
#define ARRAY_PUSH(items, count, capacity, ...)                              \
  (ARRAY_ROOM(items, capacity, (count) + 1),                                 \
   (void)((items)[(count)++] = __VA_ARGS__))

/* The same for the array OWNER->NAMEs of NAME_count, as mapping: mappings. */
#define ARRAY_ADD(owner, name, ...)                                          \
  ARRAY_PUSH((owner)->name##s, (owner)->name##_count,                        \
             (owner)->name##_capacity, __VA_ARGS__)

/* Sorts COUNT items of ITEM_BYTES bytes; ITEMS may be NULL when COUNT is
 * zero. */
static inline void
array_sort(void *items, size_t count, size_t item_bytes,
           int (*compare)(const void *, const void *))
{
  if (count > 1)
    qsort(items, count, item_bytes, compare);
}

/* Returns the order of A and B as comparators do. */
static inline int
array_order(uint64_t a, uint64_t b)
{
  return a < b ? -1 : a > b;
}

/* Compares two numbers of 64 bits, for array_sort and bsearch. */
static inline int
array_compare_numbers(const void *left, const void *right)
{
  return array_order(*(const uint64_t *)left, *(const uint64_t *)right);
}

/* Returns how many of COUNT items have a number of at most KEY.  Each item
 * begins with its number, of 64 bits; they are in ascending order. */
static inline size_t
array_count_until(const void *items, size_t count, size_t item_bytes,
                  uint64_t key)
{
  size_t low = 0;
  while (low < count) {
    size_t middle = low + (count - low) / 2;
    const char *item = (const char *)items + middle * item_bytes;
    if (array_compare_numbers(item, &key) <= 0)
      low = middle + 1;
    else
      count = middle;
  }
  return low;
}

/* Numbers of 64 bits that are collected one after the other.  To empty it,
 * set the count to zero: the memory is used again. */
struct numbers { /* all zero: empty */
  uint64_t *items;
  size_t count, capacity;
};

/* Makes room for MORE numbers. */
static inline void
numbers_reserve(struct numbers *numbers, size_t more)
{
  ARRAY_ROOM(numbers->items, numbers->capacity, numbers->count + more);
}

/* Appends NUMBER. */
static inline void
numbers_push(struct numbers *numbers, uint64_t number)
{
  ARRAY_PUSH(numbers->items, numbers->count, numbers->capacity, number);
}

/* Numbers from zero on, each in one list or in none, such as the samples of
 * each node of a tree.  Lists are in ascending order, and are made in one
 * pass. */
struct lists {     /* all zero: there is none */
  uint32_t *first; /* by list: 1 + a number, 0 in an empty list */
  uint32_t *next;  /* by number: likewise */
};

/* Makes LIST_COUNT lists of the numbers below COUNT, in the pool in use.  The
 * number I is in the list LIST_OF[I], or in none if that is UINT32_MAX. */
static inline void
lists_init(struct lists *lists, size_t list_count, const uint32_t *list_of,
           size_t count)
{
  uint32_t *first = pool_zeroed(list_count, sizeof *first);
  uint32_t *next = pool_zeroed(count, sizeof *next);
  *lists = (struct lists){first, next};
  for (size_t i = count; i-- > 0;) {
    if (list_of[i] == UINT32_MAX)
      continue;
    next[i] = first[list_of[i]];
    first[list_of[i]] = (uint32_t)i + 1;
  }
}

/* Frees the arrays of LISTS before the pool is released. */
static inline void
lists_release(struct lists *lists)
{
  pool_free(lists->first);
  pool_free(lists->next);
}

/* Returns the first number of LIST, or UINT32_MAX if it is empty. */
static inline uint32_t
lists_first(const struct lists *lists, size_t list)
{
  return lists->first[list] - 1;
}

/* Returns the number after NUMBER in its list, or UINT32_MAX. */
static inline uint32_t
lists_next(const struct lists *lists, uint32_t number)
{
  return lists->next[number] - 1;
}
