/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * call_site.h -- what a walk has to know of a place in code that makes a
 * call: how to get from the frame of its function to the caller's, where in
 * that frame its word is (frame_word.h), and which function it is.
 *
 * Model.  A site is a return address.  Each thread has a direct-mapped table
 * of those that it met, in which sites that are near each other in the code
 * share a cache line.  What is not there follows from the rule for the site
 * (frame_rule.h) and from its function (code_functions.h).  Inside the hook.
 */
#ifndef MPROF_CALL_SITE_H
#define MPROF_CALL_SITE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum call_kind {
  CALL_ELSEWHERE,   /* see frame_step.h */
  CALL_FRAME,       /* the frame pointer leads to the caller */
  CALL_INTERPRETER, /* the same; it is the byte-code interpreter */
  CALL_ON_STACK,    /* the stack pointer leads to the caller */
  CALL_ON_POINTER,  /* the frame pointer does, in a way of its own */
  CALL_FINALIZERS   /* the collector's: what it calls, nobody asked for */
};

struct call_site {
  uintptr_t ip;   /* the return address; 0: none */
  uint64_t place; /* what context_tree.h calls a site: the line, if it is
                     known, else the same */
  uint32_t
      function; /* as context_tree.h has it; 0: it depends on the caller */
  uint16_t word_at; /* bytes from the frame word up to where the frame pointer
                       points; 0: the function has none.  Of CALL_ON_STACK
                       and CALL_ON_POINTER: from the callee's return address,
                       or from the frame pointer, up to the return address */
  uint8_t saved;    /* of these: words from there down to the caller's frame
                       pointer; 0: it is in the register still */
  uint8_t kind;     /* enum call_kind */
};

enum { MOST_CALL_SITES = 1 << 15 };

/* `mask': the places of the table less one. */
static inline struct call_site *
call_site_place(struct call_site *sites, uint32_t mask, uintptr_t ip)
{
  return &sites[(ip >> 2 ^ ip >> 17) & mask];
}

/* Fill in what is known of a return address. */
void call_site_learn(struct call_site *site, uintptr_t ip);

/* Whether calls in one line of a function are told apart.  Before the sites
 * are learned. */
extern bool call_sites_apart;

/* Grows whenever code has come or gone: then all that is known is void. */
extern unsigned long call_sites_generation;

#endif
