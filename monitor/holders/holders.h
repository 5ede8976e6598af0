/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * holders.h -- who holds what is alive of the objects that were counted.
 *
 * Model.  An object is *held* by its dominators (dominators.h): if one of
 * them went, it would go.  From a root to the object they are a chain, as the
 * callers of an allocation are.  Objects of one type that one function
 * allocated are one *holder* of it, and so are those of one type that were
 * there before: holders are to that chain what functions are to a chain of
 * calls.  A holder that is on the chain already goes on from there, so that a
 * list is one holder however long it is.  So all objects make a tree of
 * chains, and what a holder retains is the sum of what is below it.
 *
 * What several roots hold, and would lose only if all of them went, has a
 * holder of its own, which names two of them.
 *
 * Not inside the hook.  No thread allocates or frees meanwhile, and the
 * collector is disabled (taking.c); the world is stopped while the heap
 * is read.
 */
#ifndef MPROF_HOLDERS_H
#define MPROF_HOLDERS_H

#include <stdbool.h>
#include <stdint.h>

#include "holders/heap.h"
#include "holders/roots.h"
#include "live/live_entries.h"
#include "tree/intern_table.h"

/* What is the same of all objects of a holder. */
struct holder {
  uint64_t clas;     /* as in their kinds (context_tree.h) */
  uint32_t what;
  uint32_t category; /* one more than enum category; 0: they are none */
};

struct holders { /* all zero: empty */
  struct heap heap;
  struct roots roots;
  struct intern_table names;   /* of holders, by their numbers */
  struct arena holders;        /* struct holder by number */
  struct intern_table paths;   /* the number of the path above << 32 | that of
                                  its last holder */
  struct arena counts;         /* struct live_count by path: its objects */
};

/* Collected all there is.  False: there is no memory. */
bool holders_find(struct holders *holders);

static inline uint32_t
holders_path_above(const struct holders *holders, uint32_t path)
{
  return (uint32_t)(intern_table_key(&holders->paths, path) >> 32);
}

static inline uint32_t
holders_path_last(const struct holders *holders, uint32_t path)
{
  return (uint32_t)intern_table_key(&holders->paths, path);
}

void holders_release(struct holders *holders);

#endif
