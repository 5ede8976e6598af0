/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * rule_cache.c -- see rule_cache.h.
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

struct rule_table *rule_cache;
static struct spin_lock lock; /* of all changes */

static size_t
places(const struct rule_table *table)
{
  return (size_t)1 << (64 - table->shift);
}

/* A place with that key, or a free one. */
static struct known_rule *
find_place(struct rule_table *table, uintptr_t key)
{
  const size_t mask = places(table) - 1;
  size_t i = (key * UINT64_C(0x9E3779B97F4A7C15)) >> table->shift;
  while (table->rules[i].key != key && table->rules[i].key != 0)
    i = (i + 1) & mask;
  return &table->rules[i];
}

static struct rule_table *
make_table(unsigned bits)
{
  struct arena arena;
  struct rule_table *table;
  if (arena_reserve(&arena, sizeof *table + (sizeof *table->rules << bits)) !=
      0)
    return NULL;
  table = arena.base;
  table->shift = 64 - bits;
  return table;
}

static bool
is_rule(const struct known_rule *rule)
{
  return rule->key != 0 && rule->key != FORGOTTEN;
}

static size_t
rules_in(const struct rule_table *table)
{
  size_t count = 0;
  for (size_t i = 0; i < places(table); i++)
    count += is_rule(&table->rules[i]);
  return count;
}

/* The table, with room for one more; NULL when there is none. */
static struct rule_table *
table_with_room(void)
{
  struct rule_table *old = rule_cache, *table;
  unsigned bits = FIRST_BITS;
  if (old != NULL && old->count * 2 < places(old))
    return old;
  if (old != NULL)
    bits = 64 - old->shift + (rules_in(old) * 4 < places(old) ? 0 : 1);
  if (bits > LAST_BITS)
    return NULL;
  table = make_table(bits);
  if (table == NULL)
    return NULL;
  for (size_t i = 0; old != NULL && i < places(old); i++)
    if (is_rule(&old->rules[i])) {
      *find_place(table, old->rules[i].key) = old->rules[i];
      table->count++;
    }
  __atomic_store_n(&rule_cache, table, __ATOMIC_RELEASE);
  return table;
}

static struct known_rule
make_rule(uintptr_t key)
{
  /* a return address is behind the call */
  const uintptr_t place = (key >> 1) - ((key & 1) == 0 ? 1 : 0);
  struct frame_rule rule = frame_rule_at(place);
  /* Nothing returns to where a function begins: the address was put there to
   * be returned to, where a new stack begins (makecontext). */
  if (rule.base == FRAME_UNKNOWN && place != key >> 1 &&
      frame_rule_function(key >> 1) == key >> 1)
    rule.base = FRAME_OUTERMOST;
  if ((rule.saved_offset & 7) != 0)
    rule = (struct frame_rule){.base = FRAME_ELSEWHERE};
  return (struct known_rule){.key = key,
                             .offset = rule.offset,
                             .saved_and_base = rule.saved_offset | rule.base};
}

/* The rule that stands behind those of other keys, as nearly all do that were
 * not where they should be: no lock is needed to see that.  Key 0: there is
 * none. */
static struct known_rule
find_further(uintptr_t key)
{
  const struct rule_table *table =
      __atomic_load_n(&rule_cache, __ATOMIC_ACQUIRE);
  size_t i;
  uintptr_t found;
  if (table == NULL)
    return (struct known_rule){0};
  i = (key * UINT64_C(0x9E3779B97F4A7C15)) >> table->shift;
  do {
    i = (i + 1) & (places(table) - 1);
    found = __atomic_load_n(&table->rules[i].key, __ATOMIC_ACQUIRE);
  } while (found != key && found != 0);
  return found == key ? table->rules[i] : (struct known_rule){0};
}

struct known_rule
rule_cache_learn(uintptr_t key)
{
  struct rule_table *table;
  struct known_rule *there = NULL;
  struct known_rule rule = find_further(key);
  if (rule.key != 0)
    return rule;
  spin_lock(&lock);
  if (rule_cache != NULL) {
    there = find_place(rule_cache, key);
    rule = *there;
  }
  if (rule.key == 0) {
    rule = make_rule(key);
    table = table_with_room();
    if (table != NULL) {
      there = find_place(table, key);
      there->offset = rule.offset;
      there->saved_and_base = rule.saved_and_base;
      __atomic_store_n(&there->key, key, __ATOMIC_RELEASE);
      table->count++;
    }
  }
  spin_unlock(&lock);
  return rule;
}

void
rule_cache_forget(uintptr_t start, uintptr_t end)
{
  spin_lock(&lock);
  for (size_t i = 0; rule_cache != NULL && i < places(rule_cache); i++) {
    struct known_rule *rule = &rule_cache->rules[i];
    if (is_rule(rule) && rule->key >> 1 >= start && rule->key >> 1 <= end)
      __atomic_store_n(&rule->key, FORGOTTEN, __ATOMIC_RELEASE);
  }
  spin_unlock(&lock);
}

void
rule_cache_forked(void)
{
  lock.holder = 0;
}
