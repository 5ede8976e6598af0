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

#include "base/index_map.h"
#include "base/names.h"
#include "holders/heap_graph.h"

struct holder {
  uint32_t name;     /* of the names */
  uint32_t what;     /* what objects it is: kind.what, */
  uint64_t clas;     /* kind.clas, */
  uint32_t category; /* and the category + 1; 0: it is none */
};

/* A path of holders from a root, and what the last one holds of its own. */
struct holding {
  uint32_t above;  /* the path above it, a smaller number; 0: none */
  uint32_t holder; /* the last one */
  uint64_t objects, bytes;
};

struct holders { /* all zero: empty */
  struct names names;
  struct index_map by_name; /* number less one */
  struct holder *items;     /* owned: number i at i - 1 */
  size_t count, capacity;
  struct index_map
      by_path; /* number less one, by the path above and holder */
  struct holding *holdings; /* owned: the path with number i at i - 1 */
  size_t holding_count, holding_capacity;
};

void holders_release(struct holders *holders);

/* The number of the holder called TEXT, from 1 on; a new one is HOLDER.  0
 * when memory runs out. */
uint32_t holders_add(struct holders *holders, const char *text,
                     struct holder holder);

/* Its name; valid as long as HOLDERS. */
const char *holders_name(const struct holders *holders, uint32_t number);

/* Names holders: gives back the number of that which objects of the leaf
 * NUMBER of the tree of OWNER are or, where OWNER is 0, of that with this
 * number in the image.  0 when memory runs out. */
typedef uint32_t holder_fn(void *closure, uint32_t owner, uint32_t number);

/* Finds all that GRAPH has, and what is OUTSIDE of it, records 1 to COUNT, as
 * NAME names them.  False when memory runs out. */
bool holders_find(struct holders *holders, const struct heap_graph *graph,
                  const struct image_object *outside, size_t count,
                  holder_fn *name, void *closure);

#endif
