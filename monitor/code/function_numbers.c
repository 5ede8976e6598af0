/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * function_numbers.c -- one table has two kinds of keys: call sites that were
 * asked for, and the beginnings of functions. */
#include "code/function_numbers.h"

#include <stddef.h>

#include "code/frame_rule.h"

static uint64_t
key_of_site(uintptr_t site)
{
  return (uint64_t)site << 1;
}

static uint64_t
key_of_start(uintptr_t start)
{
  return (uint64_t)start << 1 | 1;
}

static uint32_t
number_of(const struct function_numbers *n, uint64_t key)
{
  return (uint32_t)shared_table_value(&n->table, key);
}

/* Returns a new number for `key', or 0 if all are used.  A jump that
 * leaves it before the number is in the table wastes the number. */
static uint32_t
assign(struct function_numbers *n, uint64_t key, uintptr_t code)
{
  const uint32_t number = n->last + 1;
  if (n->last == n->most)
    return 0;
  if (n->on_new_number != NULL && !n->on_new_number(number, code))
    return 0;
  n->last = number;
  if (shared_table_add(&n->table, key, number))
    return number;
  n->last = number - 1;
  return 0;
}

static uint32_t
number_of_start(struct function_numbers *n, uintptr_t start)
{
  const uint32_t number = number_of(n, key_of_start(start));
  return number != 0 ? number : assign(n, key_of_start(start), start);
}

uint32_t
function_number_of_start(struct function_numbers *n, uintptr_t start)
{
  uint32_t number;
  if (start == 0)
    return 0;
  spin_lock(&n->table.lock);
  number = number_of_start(n, start);
  spin_unlock(&n->table.lock);
  return number;
}

/* Returns the number of the site; 0 if all are used, and in the handler
 * of a signal that interrupted this thread while it had the lock. */
static uint32_t
number_new_site(struct function_numbers *n, uintptr_t site)
{
  const uintptr_t start = frame_rule_function(site - 1);
  uint32_t number;
  if (spin_holds(&n->table.lock))
    return 0;
  spin_lock(&n->table.lock);
  number = number_of(n, key_of_site(site)); /* by another thread meanwhile */
  if (number == 0 && start == 0)
    number = assign(n, key_of_site(site), site - 1);
  else if (number == 0 && (number = number_of_start(n, start)) != 0)
    shared_table_add(&n->table, key_of_site(site), number);
  spin_unlock(&n->table.lock);
  return number;
}

uint32_t
function_number_of_site(struct function_numbers *n, uintptr_t site)
{
  const uint32_t number = number_of(n, key_of_site(site));
  return number != 0 ? number : number_new_site(n, site);
}

bool
function_number_again(struct function_numbers *n, uintptr_t start,
                      uint32_t number)
{
  bool given;
  spin_lock(&n->table.lock);
  given = number_of(n, key_of_start(start)) == 0 &&
          shared_table_add(&n->table, key_of_start(start), number);
  spin_unlock(&n->table.lock);
  return given;
}

void
function_numbers_forget(struct function_numbers *n, uintptr_t start,
                        uintptr_t end)
{
  spin_lock(&n->table.lock);
  shared_table_forget(&n->table, start, end);
  spin_unlock(&n->table.lock);
}
