/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * rule_cache.h -- the rules (frame_rule.h) of all places in code that walks
 * have met, shared by all threads.
 *
 * Open addressing in a table that is kept small, for it is looked at for each
 * frame that is new.  A rule is complete before its key is written, and does
 * not change while its code is there; a table that has become too small stays
 * where it is.  So readers take no lock.  Runs inside the hook.
 */
#ifndef MPROF_RULE_CACHE_H
#define MPROF_RULE_CACHE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "arch/attributes.h"
#include "walk/frame_rule.h"

struct known_rule {
  uintptr_t key; /* see rule_key; 0: none */
  struct frame_rule rule;
};

struct rule_table {
  size_t count;
  unsigned shift; /* of hashes: 64 less the bits of their places */
  struct known_rule *rules;
};

extern struct rule_table *rule_cache HIDDEN;

/* The key of an address: a return address, or a place where a signal came. */
static inline uintptr_t
rule_key(uintptr_t ip, bool interrupted)
{
  return ip << 1 | (interrupted ? 1 : 0);
}

static inline size_t
rule_place(const struct rule_table *table, uintptr_t key)
{
  return (key * UINT64_C(0x9E3779B97F4A7C15)) >> table->shift;
}

static inline size_t
rule_next_place(const struct rule_table *table, size_t place)
{
  return (place + 1) & ((size_t)-1 >> table->shift);
}

/* The rule for `key', which is not there: found, and added. */
struct frame_rule rule_cache_learn(uintptr_t key);

static inline struct frame_rule
rule_cache_find(uintptr_t key)
{
  const struct rule_table *table =
      __atomic_load_n(&rule_cache, __ATOMIC_ACQUIRE);
  size_t i = rule_place(table, key);
  for (;;) {
    const struct known_rule *known = &table->rules[i];
    const uintptr_t found = __atomic_load_n(&known->key, __ATOMIC_ACQUIRE);
    if (__builtin_expect(found == key, 1))
      return known->rule;
    if (found == 0)
      return rule_cache_learn(key);
    i = rule_next_place(table, i);
  }
}

/* The code from `start' to `end' was unloaded: forget its rules. */
void rule_cache_forget(uintptr_t start, uintptr_t end);

/* In the child of a fork: only this thread is left. */
void rule_cache_forked(void);

#endif
