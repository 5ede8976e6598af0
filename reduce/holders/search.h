/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The objects that a garbage collector found alive, and which of them refer
 * to which, as an image has them (common/image_format.h); and a depth-first
 * search from the roots through all of them, which makes of their references
 * the graph of dominators.h.
 *
 * Behind the collector's objects come the roots that lie elsewhere.  A root
 * has the first search of its level.  References to what was reached in an
 * earlier level do not count.
 */

#pragma once

#include "common/image_format.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct heap_graph {                   /* not owned */
  const struct image_object *objects; /* from 1 on, and one more, where the
                                         references of the last one end */
  uint32_t count;                     /* the last number */
  const uint32_t *references;
  const struct image_body *bodies; /* in the order of their objects */
  size_t body_count;
  const struct image_root *roots; /* the last is what no other reaches */
  uint32_t root_count;
};

/* An array of an image; no records if it has none. */
struct heap_array {
  const void *records;
  size_t bytes;
};

/* Makes the graph of its arrays, whose record 0 tells how many there are.
 * False: there is none, or a number in it is out of bounds. */
bool heap_graph_init(struct heap_graph *graph, struct heap_array objects,
                     struct heap_array references, struct heap_array bodies,
                     struct heap_array roots);

/* ---- the search ---- */

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
