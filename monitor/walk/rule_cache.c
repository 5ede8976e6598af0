/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * rule_cache.c -- see rule_cache.h.
 */
#include "walk/rule_cache.h"

struct shared_table rule_cache = SHARED_TABLE_EMPTY;

_Static_assert(sizeof(struct frame_rule) == sizeof(uint64_t),
               "a rule is the value of an entry");

struct frame_rule
rule_cache_learn(uint64_t key)
{
  /* a return address is behind the call */
  const uintptr_t place = (key >> 1) - ((key & 1) == 0 ? 1 : 0);
  struct frame_rule rule = frame_rule_at(place);
  uint64_t value;
  /* Nothing returns to where a function begins: the address was put there to
   * be returned to, where a new stack begins (makecontext). */
  if (rule.base == FRAME_UNKNOWN && place != key >> 1 &&
      frame_rule_function(key >> 1) == key >> 1)
    rule.base = FRAME_OUTERMOST;
  memcpy(&value, &rule, sizeof value);
  spin_lock(&rule_cache.lock);
  if (shared_table_find(&rule_cache, key) == NULL)
    shared_table_add(&rule_cache, key, value);
  spin_unlock(&rule_cache.lock);
  return rule;
}

struct range {
  uintptr_t start, end;
};

static bool
lies_in(void *closure, const struct shared_entry *entry)
{
  const struct range *range = closure;
  return entry->key >> 1 >= range->start && entry->key >> 1 <= range->end;
}

void
rule_cache_forget(uintptr_t start, uintptr_t end)
{
  struct range range = {start, end};
  spin_lock(&rule_cache.lock);
  shared_table_forget(&rule_cache, lies_in, &range);
  spin_unlock(&rule_cache.lock);
}

void
rule_cache_forked(void)
{
  rule_cache.lock.holder = 0;
}
