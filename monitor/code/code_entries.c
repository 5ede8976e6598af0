/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * code_entries.c -- the sorted array of entries of one shared object.
 *
 * Not done here: what the entries are made from (code_module, code_names),
 * and the array of those of all objects (code_index).
 */
#include "code/code_entries.h"

#include <stdlib.h>

#include "tree/sizes.h"

bool
code_entries_add(struct code_module *m, uintptr_t start, uint32_t function)
{
  if (m->count == m->room) {
    size_t room = m->room == 0 ? SIZE_FIRST_ROOM : m->room * 2;
    struct code_entry *bigger = realloc(m->entries, room * sizeof *bigger);
    if (bigger == NULL)
      return false;
    m->entries = bigger;
    m->room = room;
  }
  m->entries[m->count++] = (struct code_entry){
    .start = start,
    .function = function,
    .kind = m->kind,
  };
  return true;
}

int
code_entries_compare(const void *a, const void *b)
{
  const struct code_entry *x = a, *y = b;
  if (x->start != y->start)
    return x->start < y->start ? -1 : 1;
  if ((x->function == 0) != (y->function == 0))
    return x->function == 0 ? 1 : -1;
  return (x->function > y->function) - (x->function < y->function);
}

struct code_entry *
code_entries_at(const struct code_module *m, uintptr_t address)
{
  size_t low = 0, high = m->count;
  while (low < high) {
    size_t middle = (low + high) / 2;
    if (m->entries[middle].start < address)
      low = middle + 1;
    else
      high = middle;
  }
  return low < m->count && m->entries[low].start == address ? &m->entries[low]
                                                            : NULL;
}

const struct code_entry *
code_entries_before(const struct code_entry *entries, size_t count,
                    uintptr_t address)
{
  size_t low = 0, high = count;
  while (low < high) {
    size_t middle = (low + high) / 2;
    if (entries[middle].start <= address)
      low = middle + 1;
    else
      high = middle;
  }
  return low > 0 ? &entries[low - 1] : NULL;
}
