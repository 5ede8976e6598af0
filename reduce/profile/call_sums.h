/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The chains of a profile of a C program as a tree, to add up the calls that
 * its file leaves out.
 *
 * A call of a C program counts once for each allocation made below it, so the
 * calls of a chain that others go through are the sum of their allocations.
 * Only what is not so has to be stated: a call that the chain has further out
 * as well counts none (mprof-data(5), Activations).
 *
 *   samples           tree (location: allocations, below)
 *   a/b/c  2          a: 0, 7 -- b: 0, 7 -- c: 2, 5 -- d: 5, 0
 *   a/b/c/d  5
 *
 * The tree grows by chains; below is filled in when all are there.  Parents
 * have smaller numbers than their children.  Adding a chain costs what it
 * does not share with the last one.  Not safe for two threads.
 */

#ifndef MPROF_CALL_SUMS_H
#define MPROF_CALL_SUMS_H

#include "profile/index_map.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { CALL_ROOT = 0 }; /* the node of the chain without locations */

struct call_node {
  uint32_t parent;
  uint32_t location; /* any number that stands for one */
  uint32_t length;   /* of the chain */
  bool stated;       /* its calls are stated, and are: */
  uint64_t calls;
  uint64_t allocs;    /* of this very chain */
  uint64_t below;     /* of longer ones */
  size_t first_link;  /* the owner's: where its chain stands ... */
  size_t frame_count; /* ... and how long */
};

struct call_sums {         /* all zero: empty */
  struct call_node *nodes; /* owned */
  size_t count, capacity;  /* zero, or with the root */
  size_t links;            /* the lengths of all chains, added up */
  struct index_map children;
  uint32_t *path; /* owned: the nodes of the last chain, the root's first */
  size_t path_length, path_capacity;
};

void call_sums_release(struct call_sums *sums);

/* The node below PARENT for LOCATION, made when it is new; INDEX_NONE when
 * memory runs out. */
uint32_t call_sums_child(struct call_sums *sums, uint32_t parent,
                         uint32_t location);

/* The same for a chain that is given from its beginning on: DEPTH locations
 * (from 0 on) of it were asked for before this one. */
uint32_t call_sums_step(struct call_sums *sums, size_t depth,
                        uint32_t location);

/* Fills in what is below each node. */
void call_sums_add_up(struct call_sums *sums);

#endif
