/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * leaf_lives.h -- which lives (stripes.h) are those of a leaf.
 *
 * Model.  An object is known by the number of a life until it is freed, and
 * nobody can tell all objects that they have another number now.  But when
 * contexts are retired (tree/context_retire.h) all leaves do, and many become
 * one.  So lives keep their numbers, and it is kept here of which leaf they
 * are:
 *
 *     before         life 7 of leaf 7: FOO, BAR     3 objects live
 *                    life 8 of leaf 8: FOO, BAZ     none
 *                    life 9 of leaf 9: FOO, QUX     1 object live
 *
 *     after          life 7 ----> leaf 5: FOO, [retired]
 *                    life 9 --'            with what was counted in life 8,
 *                                          whose number is free
 *
 * The first life of a leaf is that for its new objects.  Of the others only
 * those stay that objects know; what the rest has counted is added to the
 * first, so that all sums are what they were, of each stripe too.
 *
 * As long as nothing was retired the life of a leaf has its number, and all
 * this takes no memory; then it takes 12 bytes a life.  There are at most as
 * many lives as contexts and leaves may be in the tree together: what finds
 * none is over the budget.
 *
 * Under malloc_monitor.lock, what changes numbers with all stripes locked.
 * Takes memory from the kernel alone: may run inside the hook.
 */
#ifndef MPROF_LEAF_LIVES_H
#define MPROF_LEAF_LIVES_H

#include <stdbool.h>
#include <stdint.h>

#include "malloc/count/stripes.h"
#include "tree/arena.h"
#include "tree/context_tree.h"

struct leaf_lives { /* all zero: the life of a leaf has its number */
  struct life_number {
    uint32_t leaf : LEAF_BITS; /* of the life; 0: it is free */
    uint32_t of_linker : 1;    /* its leaf was one of the dynamic linker's */
    uint32_t next;  /* life of the same leaf, or free one; 0: none */
    uint32_t first; /* life of the leaf with that number; 0: none */
  } *numbers;       /* as many as stripes.leaves; NULL: see above */
  uint32_t end;     /* no life has this number or a larger one */
  uint32_t free;    /* the first number that is; 0: none */
  struct arena arena;
};

/* Whether they are the life of the leaf with the same number, still. */
static inline bool
leaf_lives_are_plain(const struct leaf_lives *lives)
{
  return lives->numbers == NULL;
}

/* The leaf of a life, a number less than stripes.leaves; 0: none.  Under the
 * lock of any stripe, too. */
static inline uint32_t
leaf_lives_leaf(const struct leaf_lives *lives, uint32_t life)
{
  return leaf_lives_are_plain(lives) ? life : lives->numbers[life].leaf;
}

/* Let there be room for lives and leaves with numbers less than `end'.
 * False: there is no memory; or it is needed while all stripes are locked. */
bool leaf_lives_reach(struct leaf_lives *lives, uint32_t end);

/* The life for new objects of a leaf of `tree'; LEAF_OVERFLOW: there are too
 * many.  No stripe is locked. */
uint32_t leaf_lives_take(struct leaf_lives *lives, struct context_tree *tree,
                         uint32_t leaf);

/* Whether the dynamic linker has allocated the objects of a life. */
bool leaf_lives_are_of_linker(const struct leaf_lives *lives,
                              const struct context_tree *tree, uint32_t life);

/* What all lives of a leaf have counted.  All is locked. */
struct leaf_life leaf_lives_sum(const struct leaf_lives *lives,
                                uint32_t leaf);

/* The leaves of `tree' are about to become others: the numbers of lives stay
 * as they are.  False: there is no memory.  All is locked. */
bool leaf_lives_begin(struct leaf_lives *lives,
                      const struct context_tree *tree);

/* They have become others: `leaf_of' has their numbers by the former ones.
 * All is locked. */
void leaf_lives_renumber(struct leaf_lives *lives, const uint32_t *leaf_of);

/* All is forgotten.  All is locked. */
void leaf_lives_clear(struct leaf_lives *lives);

#endif
