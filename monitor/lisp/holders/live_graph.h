/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * live_graph.h -- all that is alive, what refers to what, and which of it was
 * counted where: the reader finds who holds it (reduce/holders/).
 *
 * Not inside the hook.  No thread allocates or frees meanwhile, and the
 * collector is disabled (monitor_images.c); the world is stopped while the heap is
 * read.
 */
#ifndef MPROF_LIVE_GRAPH_H
#define MPROF_LIVE_GRAPH_H

#include <stdbool.h>
#include <stdint.h>

#include "image/note_list.h"
#include "lisp/holders/heap.h"
#include "lisp/holders/roots.h"

struct live_graph { /* all zero: empty */
  struct heap heap;
  struct roots roots;
  struct arena bodies;  /* struct image_body, from 1 on, as an image has it */
  uint32_t body_count;
  struct arena outside; /* struct image_object, from 1 on: what the collector
                           did not give out */
  uint32_t outside_count;
  uint32_t owner;       /* of the tree in hand */
};

/* Collect all there is, and note its holders: roots by their places, from 1 on,
 * and behind them the types of what was not counted.  False: there is no
 * memory. */
bool live_graph_take(struct live_graph *graph, struct note_list *notes);

void live_graph_release(struct live_graph *graph);

#endif
