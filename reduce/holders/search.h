/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* A depth-first search from the roots through all objects of a heap, and what
 * it makes of their references: the graph of dominators.h.
 *
 * A root has the first search of its level.  References to what was reached
 * in an earlier level do not count.
 */

#pragma once

#include "holders/heap_graph.h"

struct search {
  uint32_t count;    /* of nodes, from 0, which holds the roots */
  uint32_t *objects; /* by node */
  uint32_t *parents; /* the same: of the search */
  uint32_t *first, *predecessors; /* see dominators_find */
  uint8_t *flags;                 /* by object, with IMAGE_BODY */
};

/* Fills in SEARCH; search_free gives back its memory, which is as long as the
 * heap. */
void search_run(struct search *search, const struct heap_graph *graph);
void search_free(struct search *search);
