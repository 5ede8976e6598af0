/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * known_leaf.h -- leaves that need not be looked up again.
 *
 * Model.  A leaf is told by where the allocator was called (its return
 * address), in which context its function was called, and what the object is
 * (context_tree.h).  A thread keeps the last ones in a table by just these.
 * Only objects of sizes that the leaf tells are in it, and only code that
 * keeps a frame pointer: so an address in code stands for one site.
 */
#ifndef MPROF_KNOWN_LEAF_H
#define MPROF_KNOWN_LEAF_H

#include <stddef.h>
#include <stdint.h>

#include <ecl/ecl.h>

#include "tree/context_tree.h"
#include "tree/sizes.h"

enum { KNOWN_LEAVES = SIZE_KNOWN_LEAVES };

/* What is to be done beside counting. */
enum known_leaf_then {
  LEAF_NOTHING,
  LEAF_UNMARK, /* the allocating function made its last call (last_call.h):
                  if its frame is marked, the mark has done its work */
  LEAF_BODY    /* the object may get a body: see object_body.h */
};

struct known_leaf {
  uintptr_t site; /* return address of the allocator; 0: none */
  cl_index kind;  /* ECL_ALLOCATED_KIND */
  struct leaf *leaf;
  cl_object clas;
  uint32_t up;    /* context of the call that made the function's frame */
  uint32_t then;  /* enum known_leaf_then */
  uint64_t after; /* the site comes after the first object */
  uint64_t unused[2];
};

_Static_assert(sizeof(struct known_leaf) == 64, "a cache line");

/* Where in the table a leaf is, whatever the object. */
static inline struct known_leaf *
known_leaf_place(struct known_leaf *table, uintptr_t site, uint32_t up)
{
  return &table[(site + (uintptr_t)up * 9) % KNOWN_LEAVES];
}

/* The other place: objects of several sizes or classes are made at one site
 * (bignums, instances). */
static inline struct known_leaf *
known_leaf_second_place(struct known_leaf *table, uintptr_t site, uint32_t up,
                        cl_index kind, cl_object clas)
{
  const uintptr_t object = (kind >> ECL_ALLOCATED_BYTES_SHIFT) / 8 * 5 +
                           kind + (uintptr_t)clas / 16;
  return &table[(site + (uintptr_t)up * 9 + object * 3 + 1) % KNOWN_LEAVES];
}

/* That kinds of instances are never those of other objects is why the class
 * need be compared only where there is one. */
static inline bool
known_leaf_is(const struct known_leaf *l, uintptr_t site, uint32_t up,
              cl_index kind)
{
  return l->site == site && l->up == up && l->kind == kind;
}

/* The leaf, or NULL. */
static inline const struct known_leaf *
known_leaf_find(struct known_leaf *table, uintptr_t site, uint32_t up,
                cl_index kind, cl_object clas)
{
  const struct known_leaf *l = known_leaf_place(table, site, up);
  if (__builtin_expect(
          known_leaf_is(l, site, up, kind) && l->clas == clas, 1))
    return l;
  l = known_leaf_second_place(table, site, up, kind, clas);
  return known_leaf_is(l, site, up, kind) && l->clas == clas ? l : NULL;
}

/* Put a leaf that is not in the table there.  One of another site makes room:
 * it goes to its second place.  (Where each stayed where it was, the sites of
 * a program's beginning kept those that came later from being found at
 * once.) */
static inline const struct known_leaf *
known_leaf_keep(struct known_leaf *table, const struct known_leaf *leaf)
{
  struct known_leaf *place = known_leaf_place(table, leaf->site, leaf->up);
  if (place->site == leaf->site && place->up == leaf->up)
    place = known_leaf_second_place(table, leaf->site, leaf->up, leaf->kind,
                                    leaf->clas);
  else if (place->site != 0)
    *known_leaf_second_place(table, place->site, place->up, place->kind,
                             place->clas) = *place;
  *place = *leaf;
  return place;
}

#endif
