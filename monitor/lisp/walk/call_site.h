/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * call_site.h -- what a walk has to know of a place in code that makes a
 * call: how to get from the frame of its function to the caller's, where in
 * that frame its word is (stack_walk.h), and which function it is.
 *
 * Model.  A site is a return address.  Each thread has a table of those that
 * it met, open-addressed and at most a quarter full, in which sites that are
 * near each other in the code are near each other.  What is not there follows
 * from the rule for the site (frame_rule.h) and from its function
 * (code_functions.h).  A site that is learned gets a number, its *call*,
 * which no other site of the thread ever has: so what was remembered by a
 * call is never taken for another's, even after the table was emptied.
 *
 * Inside the hook. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "arch/arch.h"
#include "image/arena.h"

enum { NO_CALL = 1 }; /* there are no numbers left */

enum call_kind {
  CALL_ELSEWHERE,   /* see frame_step.h */
  CALL_FRAME,       /* the frame pointer leads to the caller, and the frame
                       has a word */
  CALL_INTERPRETER, /* the same; it is the byte-code interpreter */
  CALL_WORDLESS,    /* the frame pointer leads to the caller */
  CALL_ON_STACK,    /* the stack pointer leads to the caller */
  CALL_ON_POINTER,  /* the frame pointer does, in a way of its own */
  CALL_FINALIZERS   /* the collector's: what it calls, nobody asked for */
};

struct call_site {
  uintptr_t ip;     /* the return address; 0: an empty place */
  uint32_t call;    /* its number, a multiple of 4, or NO_CALL */
  int16_t word_at;  /* bytes from the frame pointer up to the frame word;
                       CALL_ON_STACK: from the slot with the callee's return
                       address up to that with this frame's own;
                       CALL_ON_POINTER: from the frame pointer up to that */
  uint8_t saved;    /* of these two kinds: words from that slot down to the
                       caller's frame pointer; 0: the register has it still */
  uint8_t kind;     /* enum call_kind */
  uint64_t place;   /* the site for the tree (code_function_place) */
  uint32_t function; /* see context_tree_function_fn; 0: unknown, or it
                        depends on the caller */
};

struct call_sites {
  struct call_site *sites;
  uint32_t mask;            /* places less one */
  uint32_t count;           /* sites in them */
  uint32_t calls;           /* numbers given so far; never reduced */
  unsigned long generation; /* call_sites_shared.generation when emptied */
  struct arena arena;
};

/* Makes an empty table of so many places, a power of 2, whose arena the
 * caller releases.  Returns 0, or -1 with errno set and nothing changed. */
int call_sites_init(struct call_sites *table, uint32_t places);

/* Empties the table, since code has come or gone; keeps its memory. */
void call_sites_forget(struct call_sites *table);

/* Adds the site `ip', which is not in the table, and returns it; never NULL.
 * The table grows for it; without memory, it is emptied once three quarters
 * full. */
const struct call_site *call_site_add(struct call_sites *table, uintptr_t ip);

/* Returns the site `ip', added if it is new.  Valid until the next call. */
static inline const struct call_site *
call_site_at(struct call_sites *table, uintptr_t ip)
{
  uint32_t i = (uint32_t)ip & table->mask;
  while (table->sites[i].ip != ip) {
    if (table->sites[i].ip == 0)
      return call_site_add(table, ip);
    i = (i + 1) & table->mask;
  }
  return &table->sites[i];
}

/* Returns the address of the frame word, `word_at' bytes from where the frame
 * pointer `frame' points. */
static inline uint64_t *
frame_word(uintptr_t frame, int16_t word_at)
{
  return (uint64_t *)(frame + (uintptr_t)(intptr_t)word_at);
}

/* Returns whether the frame pointer leads from its frame to the caller's. */
static inline bool
call_site_is_framed(const struct call_site *site)
{
  return (uint8_t)(site->kind - CALL_FRAME) <= CALL_WORDLESS - CALL_FRAME;
}

/* What the tables of all threads share. */
extern struct call_sites_shared {
  unsigned long generation; /* atomic; tables of an older one are void */
  bool apart; /* MPROF_SITES; written with the gates shut, as is the next */
  uint32_t first_epoch, last_epoch; /* present epochs (stack_walk.h); the last
                                       one is atomic */
} call_sites_shared;

/* Lets every thread empty its table before its next walk: code has come or
 * gone, or `apart' has changed. */
static inline void
call_sites_outdate(void)
{
  __atomic_fetch_add(&call_sites_shared.generation, 1, __ATOMIC_RELEASE);
}

/* ---- where the calls led that a thread made lately ----
 *
 * Model.  A *step* is one look into the context tree that was made before:
 * from a context, by a call, to a child; or to the leaf of a kind, and then
 * its key is odd.
 *
 *     key = context << 32 | call              -> child, and its target
 *     key = context << 32 | call | 1, kind    -> leaf
 *
 * The call is that of a site above, or the number of a byte-compiled
 * function.  Each step has one place, so that any of them may be lost to
 * another: the tree has them all. */

struct step {
  uint64_t key;    /* 0: an empty place */
  uint32_t number; /* number of the child, or of the leaf */
  uint32_t more;   /* number of the child's target, or of the leaf's kind */
};

struct step_table {
  struct step *steps;
  uint32_t mask;  /* places less one */
  uint32_t added; /* steps since it was made or emptied */
  struct arena arena;
};

/* Makes an empty table of so many places, a power of 2, in place of what it
 * had; the caller releases its arena.  Returns 0, or -1 with errno set and
 * nothing changed. */
int step_table_init(struct step_table *table, uint32_t places);

/* Empties the table, since contexts and leaves are forgotten. */
void step_table_forget(struct step_table *table);

/* Adds the step, over another at its place.  When more steps than places were
 * added, first makes an empty table of four times the length, up to
 * SIZE_MOST_STEPS, if there is memory. */
void step_table_add(struct step_table *table, struct step step);

/* Returns the one place for the step with that key; the caller compares the
 * keys.  `kind' is the number of a leaf's kind, else 0. */
static inline struct step *
step_table_place(const struct step_table *table, uint64_t key, uint32_t kind)
{
  const uint64_t hash =
      (key + ((uint64_t)kind << 40)) * UINT64_C(0x9E3779B97F4A7C15);
  return &table->steps[hash >> 40 & table->mask];
}
