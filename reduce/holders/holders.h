/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Who holds what is alive of the objects that were counted.
 *
 * Model.  An object is *held* by its dominators (dominators.h): if one of
 * them went, it would go.  From a root to the object they are a chain, as the
 * callers of an allocation are.  Objects of one type that one function
 * allocated are one *holder* of it, and so are those of one type that were
 * there before: a holder is its name, and what has the same one is the same.
 * Holders are to that chain what functions are to a chain of calls.  A holder
 * that is on the chain already goes on from there, so that a list is one
 * holder however long it is.  So all objects make a tree of chains, and what
 * a holder retains is the sum of what is below it.
 *
 * What several roots hold, and would lose only if all of them went, has a
 * holder of its own, which names two of them.
 */

#ifndef MPROF_HOLDERS_H
#define MPROF_HOLDERS_H

#include "holders/heap_graph.h"
#include "pprof/profile.h"

struct holder {
  uint32_t name;     /* of the names of the profile, and ... */
  uint32_t location; /* ... the location that stands for it there */
  uint32_t what;     /* what objects it is: kind.what, */
  uint64_t clas;     /* kind.clas, */
  uint32_t category; /* and the category + 1; 0: it is none */
};

/* A chain of holders from a root, and what the last one holds of its own. */
struct holding {
  uint32_t node;   /* of the tree of the profile */
  uint32_t holder; /* the last one */
  uint64_t objects, bytes;
};

struct holders {                     /* all zero but for the profile: empty */
  struct profile *profile;           /* receives locations and chains */
  struct index_map by_name, by_node; /* numbers of holders and holdings */
  struct holder *items;
  size_t count, capacity;
  struct holding *holdings;
  size_t holding_count, holding_capacity;
};

/* The number of the holder called TEXT; a new one is HOLDER. */
uint32_t holders_add(struct holders *holders, const char *text,
                     struct holder holder);

/* Names holders: gives back the number of that which objects of the leaf
 * NUMBER of the tree of OWNER are or, where OWNER is 0, of that with this
 * number in the image. */
typedef uint32_t holder_fn(void *closure, uint32_t owner, uint32_t number);

/* Finds all that GRAPH has, and what is OUTSIDE of it, records 1 to COUNT, as
 * NAME names them. */
void holders_find(struct holders *holders, const struct heap_graph *graph,
                  const struct image_object *outside, size_t count,
                  holder_fn *name, void *closure);

#endif
