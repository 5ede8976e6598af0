/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * step_table.h -- where the calls led that a thread made lately.
 *
 * Model.  A *step* is one look into the context tree that was made before:
 * from a context, by a call, to a child; or to the leaf of a kind, and then
 * its key is odd.
 *
 *     key = context << 32 | call              -> child, and its target
 *     key = context << 32 | call | 1, kind    -> leaf
 *
 * The call is that of a site (call_site.h), or the number of a byte-compiled
 * function.  Each step has one place, so that any of them may be lost to
 * another: the tree has them all.
 *
 * One owner; inside the hook.
 */
#ifndef MPROF_STEP_TABLE_H
#define MPROF_STEP_TABLE_H

#include <stdint.h>

#include "image/arena.h"

struct step {
  uint64_t key;    /* 0: none */
  uint32_t number; /* of the child, or of the leaf */
  uint32_t more;   /* the child's target; the leaf's kind */
};

struct step_table {
  struct step *steps;
  uint32_t mask;  /* places less one */
  uint32_t added; /* since the table was made */
  struct arena arena;
};

/* An empty table, whose arena is to be released.  Gives back 0, or -1 with
 * errno set. */
int step_table_init(struct step_table *table);

/* Contexts and leaves are forgotten. */
void step_table_forget(struct step_table *table);

void step_table_add(struct step_table *table, struct step step);

/* Where a step is if it is there; `kind' of a leaf, else 0. */
static inline struct step *
step_table_place(const struct step_table *table, uint64_t key, uint32_t kind)
{
  const uint64_t hash =
      (key + ((uint64_t)kind << 40)) * UINT64_C(0x9E3779B97F4A7C15);
  return &table->steps[hash >> 40 & table->mask];
}

#endif
