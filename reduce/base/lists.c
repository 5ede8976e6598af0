/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "base/lists.h"

#include "base/array.h"

bool
lists_init(struct lists *lists, size_t list_count, const uint32_t *list_of,
           size_t count)
{
  uint32_t *first = array_zeroed(list_count, sizeof *first);
  uint32_t *next = array_zeroed(count, sizeof *next);
  *lists = (struct lists){first, next};
  if (first == NULL || next == NULL)
    return false;
  for (size_t i = count; i-- > 0;) {
    if (list_of[i] == INDEX_NONE)
      continue;
    next[i] = first[list_of[i]];
    first[list_of[i]] = (uint32_t)i + 1;
  }
  return true;
}

void
lists_release(struct lists *lists)
{
  free(lists->first);
  free(lists->next);
}
