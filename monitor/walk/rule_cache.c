/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * rule_cache.c -- see rule_cache.h.
 *
 * A rule that is forgotten leaves its place to the next new one that passes
 * it.  No thread still reads the old one: it would be in code that is gone.
 */
#include "walk/rule_cache.h"

#include "tree/arena.h"
#include "tree/spin_lock.h"

enum {
#ifdef MPROF_TINY
  FIRST_BITS = 3,
#else
  FIRST_BITS = 12, /* 64 KiB */
#endif
  LAST_BITS = 22
};

#define FORGOTTEN UINTPTR_MAX

static struct known_rule first_rules[1 << FIRST_BITS];
static struct rule_table tables[LAST_BITS - FIRST_BITS + 1] = {
    {.shift = 64 - FIRST_BITS, .rules = first_rules}};
struct rule_table *rule_cache = tables;

static struct spin_lock lock; /* of all changes */

static size_t
places(const struct rule_table *table)
{
  return (size_t)1 << (64 - table->shift);
}

/* Put a rule there whose key is not. */
static void
add(struct rule_table *table, uintptr_t key, struct frame_rule rule)
{
  size_t i = rule_place(table, key);
  while (table->rules[i].key != 0 && table->rules[i].key != FORGOTTEN)
    i = rule_next_place(table, i);
  table->count += table->rules[i].key == 0;
  table->rules[i].rule = rule;
  __atomic_store_n(&table->rules[i].key, key, __ATOMIC_RELEASE);
}

/* A table of twice the size takes the place of the one that is half full.
 * False: there is none. */
static bool
grow(void)
{
  const struct rule_table *const old = rule_cache;
  struct rule_table *table = rule_cache + 1;
  struct arena arena;
  if (table == tables + sizeof tables / sizeof *tables ||
      arena_reserve(&arena, 2 * places(old) * sizeof *old->rules) != 0)
    return false;
  *table = (struct rule_table){.shift = old->shift - 1, .rules = arena.base};
  for (size_t i = 0; i < places(old); i++)
    if (old->rules[i].key != 0 && old->rules[i].key != FORGOTTEN)
      add(table, old->rules[i].key, old->rules[i].rule);
  __atomic_store_n(&rule_cache, table, __ATOMIC_RELEASE);
  return true;
}

static bool
is_known(uintptr_t key)
{
  size_t i = rule_place(rule_cache, key);
  while (rule_cache->rules[i].key != key && rule_cache->rules[i].key != 0)
    i = rule_next_place(rule_cache, i);
  return rule_cache->rules[i].key == key;
}

struct frame_rule
rule_cache_learn(uintptr_t key)
{
  /* a return address is behind the call */
  const uintptr_t place = (key >> 1) - ((key & 1) == 0 ? 1 : 0);
  struct frame_rule rule = frame_rule_at(place);
  /* Nothing returns to where a function begins: the address was put there to
   * be returned to, where a new stack begins (makecontext). */
  if (rule.base == FRAME_UNKNOWN && place != key >> 1 &&
      frame_rule_function(key >> 1) == key >> 1)
    rule.base = FRAME_OUTERMOST;
  spin_lock(&lock);
  if ((rule_cache->count * 2 < places(rule_cache) || grow()) &&
      !is_known(key)) /* by another thread meanwhile */
    add(rule_cache, key, rule);
  spin_unlock(&lock);
  return rule;
}

void
rule_cache_forget(uintptr_t start, uintptr_t end)
{
  spin_lock(&lock);
  for (size_t i = 0; i < places(rule_cache); i++) {
    uintptr_t *key = &rule_cache->rules[i].key;
    if (*key != 0 && *key >> 1 >= start && *key >> 1 <= end)
      __atomic_store_n(key, FORGOTTEN, __ATOMIC_RELEASE);
  }
  spin_unlock(&lock);
}

void
rule_cache_forked(void)
{
  lock.holder = 0;
}
