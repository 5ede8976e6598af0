/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * rule_cache.h -- the rules (frame_rule.h) of all places in code that walks
 * have met, shared by all threads.
 *
 * The table is kept small, for it is looked at for each frame that is new.  A
 * rule does not change while its code is there.  Runs inside the hook.
 */
#ifndef MPROF_RULE_CACHE_H
#define MPROF_RULE_CACHE_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "arch/attributes.h"
#include "tree/shared_table.h"
#include "walk/frame_rule.h"

extern struct shared_table rule_cache HIDDEN;

/* The key of an address: a return address, or a place where a signal came. */
static inline uint64_t
rule_key(uintptr_t ip, bool interrupted)
{
  return ip << 1 | (interrupted ? 1 : 0);
}

/* The rule for `key', which is not there: found, and added. */
struct frame_rule rule_cache_learn(uint64_t key);

static inline struct frame_rule
rule_cache_find(uint64_t key)
{
  const struct shared_entry *entry = shared_table_find(&rule_cache, key);
  struct frame_rule rule;
  if (__builtin_expect(entry == NULL, 0))
    return rule_cache_learn(key);
  memcpy(&rule, &entry->value, sizeof rule);
  return rule;
}

/* The code from `start' to `end' was unloaded: forget its rules. */
void rule_cache_forget(uintptr_t start, uintptr_t end);

/* In the child of a fork: only this thread is left. */
void rule_cache_forked(void);

#endif
