/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * known_leaf.h -- leaves that need not be looked up in the tree again.
 *
 * Model.  A leaf is told by where the allocator was called (its return
 * address), in which context its function was called, and what the object is
 * (context_tree.h).  A thread keeps the last ones in two tables.
 *
 * `here' has one place for each site.  It serves functions that have a frame
 * word and allocate more than once: while the word holds what it held and the
 * object is of the same kind, the leaf is the same, and nothing else need be
 * looked at.
 *
 * `all' is for everything else.  A leaf may be in one of two places: the
 * first follows from the site and the context, the second from the object as
 * well, for objects of several sizes or classes are made at one site (bignums,
 * instances).
 *
 * Only sizes that a leaf tells are kept, and only objects whose requests to
 * the collector follow from their leaf.  One owner; inside the hook.
 */
#ifndef MPROF_KNOWN_LEAF_H
#define MPROF_KNOWN_LEAF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <ecl/ecl.h>

#include "tree/arena.h"
#include "tree/context_tree.h"
#include "tree/sizes.h"

enum { KNOWN_LEAVES = SIZE_KNOWN_LEAVES };

struct known_leaf {
  uintptr_t site;   /* return address of the allocator; 0: none */
  uint64_t word;    /* of the function's frame: epoch and context */
  cl_index kind;    /* ECL_ALLOCATED_KIND */
  struct leaf *leaf;
  cl_object clas;   /* of an instance, or OBJNULL */
  uint32_t word_at; /* so far below the frame pointer is the frame word */
  bool whole;       /* no body can come: see object_body.h */
};

struct known_leaves {
  struct known_leaf *here, *all;
  struct arena arena;
};

/* Gives back 0, or -1 with errno set. */
static inline int
known_leaves_init(struct known_leaves *k)
{
  if (arena_reserve(&k->arena, 2 * KNOWN_LEAVES * sizeof *k->all) != 0)
    return -1;
  k->here = k->arena.base;
  k->all = k->here + KNOWN_LEAVES;
  return 0;
}

/* Leaves are others now: the thread has entered a region, or code is another
 * at the same addresses. */
static inline void
known_leaves_forget(struct known_leaves *k)
{
  for (size_t i = 0; i < 2 * KNOWN_LEAVES; i++)
    k->here[i].site = 0;
}

static inline struct known_leaf *
known_leaf_here(const struct known_leaves *k, uintptr_t site)
{
  return &k->here[(site ^ site >> 10) % KNOWN_LEAVES];
}

static inline bool
known_leaf_is(const struct known_leaf *l, uintptr_t site, uint64_t word,
              cl_index kind, cl_object clas)
{
  return l->site == site && l->word == word && l->kind == kind &&
         l->clas == clas;
}

static inline struct known_leaf *
known_leaf_first_place(const struct known_leaves *k, uintptr_t site,
                       uint64_t word)
{
  return &k->all[(site + word * 9) % KNOWN_LEAVES];
}

static inline struct known_leaf *
known_leaf_second_place(const struct known_leaves *k, uintptr_t site,
                        uint64_t word, cl_index kind, cl_object clas)
{
  const uintptr_t object = (kind >> ECL_ALLOCATED_BYTES_SHIFT) / 8 * 5 +
                           kind + (uintptr_t)clas / 16;
  return &k->all[(site + word * 9 + object * 3 + 1) % KNOWN_LEAVES];
}

/* The leaf, or NULL. */
static inline const struct known_leaf *
known_leaf_find(const struct known_leaves *k, uintptr_t site, uint64_t word,
                cl_index kind, cl_object clas)
{
  const struct known_leaf *l = known_leaf_first_place(k, site, word);
  if (__builtin_expect(known_leaf_is(l, site, word, kind, clas), 1))
    return l;
  l = known_leaf_second_place(k, site, word, kind, clas);
  return known_leaf_is(l, site, word, kind, clas) ? l : NULL;
}

/* Keep a leaf that is not in `all'.  One of another site or context makes
 * room: it goes to its second place. */
static inline const struct known_leaf *
known_leaf_keep(struct known_leaves *k, const struct known_leaf *leaf)
{
  struct known_leaf *place = known_leaf_first_place(k, leaf->site, leaf->word);
  if (place->site == leaf->site && place->word == leaf->word)
    place = known_leaf_second_place(k, leaf->site, leaf->word, leaf->kind,
                                    leaf->clas);
  else if (place->site != 0)
    *known_leaf_second_place(k, place->site, place->word, place->kind,
                             place->clas) = *place;
  *place = *leaf;
  return place;
}

#endif
