/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Which rules hold for an allocation, and which function is to be changed.
 *
 * Each name that a rule asks for becomes a bit of the functions and types
 * that have it, one bit a rule.  So all rules are tried on a chain at once,
 * and an allocation costs one step for each frame between it and its culprit,
 * whatever the number of rules.
 */

#ifndef MPROF_CULPRIT_H
#define MPROF_CULPRIT_H

#include "advice/rule.h"
#include "analysis/reduction.h"

/* Which rules a function may play which part in: bit i is rule i. */
struct parts {
  uint64_t called, below, through, without, leaf, package;
  bool program;     /* may be a culprit */
  bool barrier;     /* what it does itself is no fault of its callers */
  bool interpreted; /* has no address, for it is no machine code */
};

/* What the names of the rules mean in a profile: bit i is rule i. */
struct rule_bits {
  const struct reduction *reduction; /* not owned */
  struct parts *parts;               /* by function of the frame table */
  uint64_t *types;   /* by type of the profile: rules that ask for it */
  uint64_t *counted; /* ... that count its objects */
  uint64_t direct, interpreted, any_below, any_through,
      packages; /* rules that say so */
};

/* False when memory runs out; release BITS even then. */
bool rule_bits_init(struct rule_bits *bits,
                    const struct reduction *reduction);
void rule_bits_release(struct rule_bits *bits);

/* A walk from an allocation to the root. */
struct walk {
  const struct rule_bits *bits;
  uint32_t node;    /* of the profile's tree */
  uint32_t next;    /* the frame that comes, of those of the node */
  uint64_t through; /* the rules that name one of the functions behind */
  uint64_t barred;  /* those that want none of them below what is called */
  uint32_t leaf, below, called,
      culprit;  /* functions, INDEX_NONE: not there */
  int64_t line; /* in the culprit */
};

/* Walks from NODE, where an object of TYPE was allocated, to the culprit;
 * gives back the rules that hold.  Those for the callers of a package come
 * first. */
uint64_t find_culprit(const struct rule_bits *bits, uint32_t node,
                      uint32_t type, struct walk *walk);

/* The function of the program that has the culprit of WALK called;
 * INDEX_NONE: there is none. */
uint32_t find_caller(const struct walk *walk);

#endif
