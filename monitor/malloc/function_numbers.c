/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * function_numbers.c -- one table has two kinds of keys: call sites that were
 * asked for, and the beginnings of functions.  The number of a function is
 * that of its beginning, or where that is not known of the site.
 */
#include "malloc/function_numbers.h"

#include <stddef.h>

#include "tree/intern_table.h"
#include "walk/frame_rule.h"

static struct {
  struct intern_table keys;
  struct arena functions; /* uint32_t by the number of a site; 0: not sought */
} known;

static uint64_t
key_of_site(uintptr_t site)
{
  return (uint64_t)site << 1;
}

static uint64_t
key_of_function(uintptr_t start)
{
  return (uint64_t)start << 1 | 1;
}

uint32_t
function_number(uintptr_t site)
{
  const uint32_t number = intern_key(&known.keys, key_of_site(site));
  const size_t bytes = (number + (size_t)1) * sizeof(uint32_t);
  uint32_t *function;
  if (number == 0 || arena_grow(&known.functions, bytes) != 0)
    return 0;
  function = (uint32_t *)known.functions.base + number;
  if (*function == 0) {
    const uintptr_t start = frame_rule_function(site - 1);
    *function = start == 0
                    ? number
                    : intern_key(&known.keys, key_of_function(start));
  }
  return *function;
}

void
function_numbers_forget(uintptr_t start, uintptr_t end)
{
  for (uint32_t i = 1; i <= known.keys.count; i++) {
    const uint64_t address = intern_table_key(&known.keys, i) >> 1;
    if (address >= start && address <= end)
      intern_table_forget(&known.keys, i);
  }
}
