/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Numbers of 64 bits that are collected one after the other.  To empty it,
 * set the count to zero: the memory is used again. */

#ifndef MPROF_NUMBERS_H
#define MPROF_NUMBERS_H

#include "base/array.h"

#include <stdbool.h>

struct numbers { /* all zero: empty */
  uint64_t *items; /* owned; the owner frees it */
  size_t count, capacity;
};

/* Makes room for MORE numbers; false when memory runs out. */
static inline bool
numbers_reserve(struct numbers *numbers, size_t more)
{
  uint64_t *items = array_reserve(numbers->items, &numbers->capacity,
                                  numbers->count + more, sizeof *items);
  if (items == NULL)
    return false;
  numbers->items = items;
  return true;
}

/* Appends NUMBER; false when memory runs out. */
static inline bool
numbers_push(struct numbers *numbers, uint64_t number)
{
  if (!numbers_reserve(numbers, 1))
    return false;
  numbers->items[numbers->count++] = number;
  return true;
}

#endif
