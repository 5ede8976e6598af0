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
  const struct image_object *objects; /* by number, from 1; one more tells
                                         where the last references end */
  uint32_t count;                     /* number of the last object */
  const uint32_t *references;         /* numbers of objects; see these */
  const struct image_body *bodies; /* in the order of their objects */
  size_t body_count;
  const struct image_root *roots; /* the last is what no other reaches */
  uint32_t root_count;
};

/* The records of an array of an image; 0 bytes if it has none. */
struct heap_array {
  const void *records;
  size_t bytes;
};

/* Makes GRAPH from its arrays, whose record 0 tells how many there are, and
 * which must outlive it.  Returns false if there is none, or if a number in
 * them is out of bounds. */
bool heap_graph_init(struct heap_graph *graph, struct heap_array objects,
                     struct heap_array references, struct heap_array bodies,
                     struct heap_array roots);

/* ---- the search ---- */

struct search {
  uint32_t count;    /* nodes; node 0 is none of the objects: it holds all
                        roots */
  uint32_t *objects; /* number of the object, by node */
  uint32_t *parents; /* node that the search came from, by node */
  uint32_t *first, *predecessors; /* see dominators_find */
  uint8_t *flags; /* enum image_object_flag by object; here IMAGE_BODY is
                     known */
};

/* Searches GRAPH and fills in SEARCH, whose memory is the pool's in use;
 * search_free frees it earlier, as it is large: some 17 bytes an object, and
 * 4 a reference. */
void search_run(struct search *search, const struct heap_graph *graph);
void search_free(struct search *search);
