/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * call_site.h -- what a walk has to know of a place in code that makes a
 * call: how to get from the frame of its function to the caller's, and where
 * in that frame its word is (frame_word.h).
 *
 * Model.  A site is a return address.  What is known of it is packed into one
 * number, so that threads read and write the table without locks:
 *
 *     bits 16-63   the return address
 *     bits 3-15    how far below the frame pointer the word is (a multiple of
 *                  8); 0: the function has none
 *     bits 0-2     enum call_kind
 *
 * The table is direct-mapped.  What is not there follows from the rule for
 * the site (rule_cache.h) and from its function (code_functions.h).  Inside
 * the hook.
 */
#ifndef MPROF_CALL_SITE_H
#define MPROF_CALL_SITE_H

#include <stddef.h>
#include <stdint.h>

enum call_kind {
  CALL_FOREIGN,     /* no frame pointer: see frame_step.h */
  CALL_FRAME,       /* the frame pointer leads to the caller */
  CALL_INTERPRETER, /* the same; it is the byte-code interpreter */
  CALL_FINALIZERS   /* the collector's: what it calls, nobody asked for */
};

typedef uint64_t call_site;

static inline call_site
call_site_pack(uintptr_t ip, uint32_t word_at, enum call_kind kind)
{
  return (uint64_t)ip << 16 | word_at | (uint64_t)kind;
}

static inline enum call_kind
call_site_kind(call_site site)
{
  return (enum call_kind)(site & 7);
}

/* Bytes from the frame word up to where the frame pointer points. */
static inline uint32_t
call_site_word_at(call_site site)
{
  return (uint32_t)(site & 0xFFF8);
}

enum { CALL_SITES = 65536 };
extern call_site call_sites[CALL_SITES];

static inline call_site *
call_site_place(uintptr_t ip)
{
  return &call_sites[(ip ^ ip >> 14) % CALL_SITES];
}

/* What is not in the table, and is put there. */
call_site call_site_learn(uintptr_t ip);

static inline call_site
call_site_find(uintptr_t ip)
{
  const call_site s = __atomic_load_n(call_site_place(ip), __ATOMIC_RELAXED);
  return __builtin_expect(s >> 16 == ip, 1) ? s : call_site_learn(ip);
}

/* The function that a site is in, by return address, as context_tree.h has it:
 *
 *     bits 31-63   the return address from bit 14 on (the rest is the place)
 *     bits 0-30    the function, with its role
 *
 * The few functions that are another for some callers are not in the table. */
extern uint64_t call_site_functions[CALL_SITES];

/* The function of any site when it is called from `caller'. */
uint32_t call_site_learn_function(uint64_t site, uint32_t caller);

static inline uint32_t
call_site_function(uint64_t site, uint32_t caller)
{
  const uint64_t f = __atomic_load_n(
      &call_site_functions[(site ^ site >> 14) % CALL_SITES],
      __ATOMIC_RELAXED);
  return __builtin_expect(f >> 31 == site >> 14, 1)
             ? (uint32_t)f & 0x7FFFFFFF
             : call_site_learn_function(site, caller);
}

/* Code has come or gone: forget all. */
void call_sites_forget(void);

#endif
