/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * rule_cache.h -- the rules (frame_rule.h) of all places in code that walks
 * have met, shared by all threads.
 *
 * Open addressing in a table that is kept small, for it is looked at for each
 * frame that is new.  A rule is complete before its key is written and never
 * changes; that of code that is gone gets a key that nobody has; and a table
 * that has become too small stays where it is.  So readers take no lock.
 * Runs inside the hook.
 */
#ifndef MPROF_RULE_CACHE_H
#define MPROF_RULE_CACHE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "arch/attributes.h"
#include "walk/frame_rule.h"

struct known_rule {
  uintptr_t key;          /* see rule_key; 0: none */
  int32_t offset;         /* as in struct frame_rule */
  int32_t saved_and_base; /* multiples of 8, and enum frame_base below */
};

struct rule_table {
  size_t count;
  unsigned shift; /* of hashes: 64 less the bits of their places */
  struct known_rule rules[];
};

extern struct rule_table *rule_cache HIDDEN; /* NULL: none yet */

/* The key of an address: a return address, or a place where a signal came. */
static inline uintptr_t
rule_key(uintptr_t ip, bool interrupted)
{
  return ip << 1 | (interrupted ? 1 : 0);
}

static inline enum frame_base
known_rule_base(const struct known_rule *rule)
{
  return (enum frame_base)(rule->saved_and_base & 7);
}

static inline int32_t
known_rule_saved(const struct known_rule *rule)
{
  return rule->saved_and_base & ~7;
}

/* The rule for `key', which is not where it should be; added when it is new.
 */
struct known_rule rule_cache_learn(uintptr_t key);

static inline struct known_rule
rule_cache_find(uintptr_t key)
{
  const struct rule_table *table =
      __atomic_load_n(&rule_cache, __ATOMIC_ACQUIRE);
  if (__builtin_expect(table != NULL, 1)) {
    const struct known_rule *rule =
        &table->rules[(key * UINT64_C(0x9E3779B97F4A7C15)) >> table->shift];
    if (__builtin_expect(__atomic_load_n(&rule->key, __ATOMIC_ACQUIRE) == key,
                         1))
      return *rule;
  }
  return rule_cache_learn(key);
}

/* The code from `start' to `end' was unloaded: forget its rules. */
void rule_cache_forget(uintptr_t start, uintptr_t end);

/* In the child of a fork: only this thread is left. */
void rule_cache_forked(void);

#endif
