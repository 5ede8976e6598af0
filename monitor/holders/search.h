/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * search.h -- a depth-first search from the roots through all objects of the
 * heap, and what it makes of their references: the graph of dominators.h.
 *
 * A root has the first search of its level (roots.h).  References to what was
 * reached in an earlier level do not count.
 */
#ifndef MPROF_SEARCH_H
#define MPROF_SEARCH_H

#include <stdbool.h>
#include <stdint.h>

#include "holders/heap.h"
#include "holders/roots.h"

struct search { /* all zero: empty */
  uint32_t count;            /* of nodes, from 0, which holds the roots */
  struct arena objects;      /* uint32_t by node */
  struct arena parents;      /* uint32_t by node: of the search */
  struct arena first;        /* uint32_t by node, and one more, ... */
  struct arena predecessors; /* ... see dominators_find */
};

/* False: there is no memory.  `heap' loses its references and its index. */
bool search_run(struct search *search, struct heap *heap,
                const struct roots *roots);

void search_release(struct search *search);

#endif
