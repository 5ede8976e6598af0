/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * frame_rule.h -- where the frame of a function lies at one place in its
 * code.
 *
 * Call-frame information has a little program for each function, which is run
 * up to that place.  What comes out is nearly always this: the frame ends at
 * a fixed distance from the stack pointer or from the frame pointer, and the
 * return address and the caller's frame pointer are at a fixed distance from
 * its end, or in their registers still.  Everything else is left to an
 * unwinder that knows all registers (FRAME_ELSEWHERE).
 *
 * The rules of all places that walks have met are in one small table, for it
 * is looked at for each frame that is new.  All threads share it; look-ups
 * take no lock.  A rule does not change while its code is there.
 *
 * Takes no memory but the kernel's: runs inside the hook. */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "base/attributes.h"
#include "tables/shared_table.h"

enum frame_base {
  FRAME_FROM_STACK,   /* at `offset' from the stack pointer */
  FRAME_FROM_POINTER, /* at `offset' from the frame pointer */
  FRAME_LINKED,       /* the return address is in its register, of a function
                         that was interrupted */
  FRAME_ELSEWHERE,    /* in some other way */
  FRAME_OF_SIGNAL,    /* the kernel called it: see arch_interrupted */
  FRAME_OUTERMOST,    /* it has no caller */
  FRAME_UNKNOWN       /* no call-frame information that can be read */
};

struct frame_rule {
  uint32_t offset : 27; /* bytes to the end of the frame, the caller's stack
                           pointer */
  uint32_t framed : 1;  /* the frame pointer leads to the caller (arch.h) */
  uint32_t base : 4;    /* enum frame_base */
  int16_t saved;        /* words from there to the caller's frame pointer; 0:
                           it is in the register */
  int16_t returns;      /* and to the return address */
};

/* Returns the rule at `ip', an address in the code of a function, without the
 * table.  For a return address, pass one less: an address in the call. */
struct frame_rule frame_rule_at(uintptr_t ip);

/* Returns where the function that `ip' lies in begins, by call-frame
 * information; 0 when that does not say. */
uintptr_t frame_rule_function(uintptr_t ip);

/* ---- the table ---- */

extern struct shared_table frame_rules HIDDEN;

/* Finds the rule for a key that is not in the table, and adds it under the
 * table's lock.  Only returns it if there is no memory, or in a handler of a
 * signal that interrupted the lock's holder. */
struct frame_rule frame_rule_add(uint64_t key);

/* Returns the rule for a return address, or, if `interrupted', for a place
 * where a signal came. */
static inline struct frame_rule
frame_rule_find(uintptr_t ip, bool interrupted)
{
  const uint64_t key = ip << 1 | interrupted;
  const struct shared_entry *entry = shared_table_find(&frame_rules, key);
  struct frame_rule rule;
  if (__builtin_expect(entry == NULL, 0))
    return frame_rule_add(key);
  memcpy(&rule, &entry->value, sizeof rule);
  return rule;
}

/* Forgets the rules of the code from `start' to `end', which was unloaded.
 * Takes the table's lock. */
void frame_rules_forget(uintptr_t start, uintptr_t end);
