/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Numbers from zero on, each in one list or in none, such as the samples of
 * each node of a tree.  Lists are in ascending order, and are made in one
 * pass. */

#pragma once

#include "base/array.h"
#include "base/index_map.h"

struct lists {     /* all zero: there is none */
  uint32_t *first; /* by list: 1 + a number, 0 in an empty list */
  uint32_t *next;  /* by number: likewise */
};

/* Puts the number I into the list LIST_OF[I], one of LIST_COUNT, unless that
 * is INDEX_NONE; there are COUNT numbers. */
static inline void
lists_init(struct lists *lists, size_t list_count, const uint32_t *list_of,
           size_t count)
{
  uint32_t *first = pool_zeroed(list_count, sizeof *first);
  uint32_t *next = pool_zeroed(count, sizeof *next);
  *lists = (struct lists){first, next};
  for (size_t i = count; i-- > 0;) {
    if (list_of[i] == INDEX_NONE)
      continue;
    next[i] = first[list_of[i]];
    first[list_of[i]] = (uint32_t)i + 1;
  }
}

static inline void
lists_release(struct lists *lists)
{
  pool_free(lists->first);
  pool_free(lists->next);
}

/* Returns the first number of LIST, or INDEX_NONE if it is empty. */
static inline uint32_t
lists_first(const struct lists *lists, size_t list)
{
  return lists->first[list] - 1;
}

/* Returns the number after NUMBER in its list, or INDEX_NONE. */
static inline uint32_t
lists_next(const struct lists *lists, uint32_t number)
{
  return lists->next[number] - 1;
}
