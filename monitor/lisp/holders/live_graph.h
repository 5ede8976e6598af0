/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * live_graph.h -- all that is alive, what refers to what, and which of it was
 * counted where: the reader finds who holds it (reduce/holders/).
 *
 * Model.  Objects are what the collector gave out, whether it was counted or
 * not, numbered from 1 in the order of their addresses.  Behind them come the
 * *roots* that lie elsewhere (roots.c).  A word refers to an object when the
 * collector would follow it: to its address, or to that and the tag of a
 * list.  An object that the collector does not scan has no references.
 *
 * The graph is read while the world is stopped, just after a full collection,
 * and so is of one moment.
 *
 * Memory: 40 bytes an object, 11 to 22 for its place in the index, and 4 for
 * each reference.  From the kernel: no malloc, no collector.  Without memory
 * a function sets `failed' and goes on; the graph is then worth nothing.
 *
 * Not inside the hook; under the monitor's lock.  The collector is disabled
 * from first to last (monitor_images.c). */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include <ecl/ecl.h>

#include "image/image.h"
#include "lisp/names/classify.h"
#include "lisp/names/lisp_printer.h"
#include "tables/intern_table.h"

/* An array of records, as it will be in the image. */
struct graph_array {
  struct arena arena;
  uint32_t count; /* records, including the record 0, which tells how many
                     follow; references have none */
  uint32_t bytes; /* of a record */
};

enum { GRAPH_ARRAYS = IMAGE_KINDS_END - IMAGE_OBJECTS };

struct live_graph { /* all zero but for `notes': empty */
  struct note_list *notes; /* not owned; gets the names of holders */
  struct graph_array arrays[GRAPH_ARRAYS];
  struct intern_table addresses; /* of objects, by number; an odd one stands
                                    for a root without address */
  uint32_t collected; /* last number of the collector's own objects */
  struct arena roots; /* of roots.c; those that are not among the collector's
                         objects are in the order of objects */
  uint32_t root_count;
  struct intern_table types; /* of objects that were not counted */
  struct lisp_printer name;  /* of the holder in hand; see graph_note */
  bool failed;               /* there was no memory */
};

/* Returns the array of KIND, from IMAGE_OBJECTS to IMAGE_OUTSIDE. */
static inline struct graph_array *
graph_array(struct live_graph *graph, enum image_kind kind)
{
  return &graph->arrays[kind - IMAGE_OBJECTS];
}

/* Fills an empty graph and notes its holders: roots by their places, from 1
 * on, then types of objects that were not counted.  The world is stopped, and
 * monitor_list_code was called before.  Returns false without memory; either
 * way, live_graph_release gives back what was taken, but not `notes'. */
bool live_graph_take(struct live_graph *graph);
void live_graph_release(struct live_graph *graph);

/* ---- objects and references: for roots.c ---- */

/* Adds a record, all zero, to the array of KIND.  Returns it, which stays
 * until the next one is added, or sets graph->failed and returns NULL. */
void *graph_add_record(struct live_graph *graph, enum image_kind kind);

/* Returns the record of an object, which stays until the next one is added.
 */
static inline struct image_object *
graph_object(const struct live_graph *graph, uint32_t number)
{
  return (struct image_object *)graph->arrays[0].arena.base + number;
}

/* Returns the address of the object; 0: a root that has none. */
static inline uint64_t
graph_address(const struct live_graph *graph, uint32_t number)
{
  const uint64_t key = intern_table_key(&graph->addresses, number);
  return (key & 1) == 0 ? key : 0;
}

/* Adds an object at `address'; 0: it has none.  Returns its number, or sets
 * graph->failed and returns 0. */
uint32_t graph_add(struct live_graph *graph, uint64_t address);

/* Returns the number of the object that a word refers to; 0: none. */
uint32_t graph_find(const struct live_graph *graph, uint64_t word);

/* Begins the references of the object `number'; to be called for each object
 * in the order of numbers.  graph_refer adds a reference of that object, if
 * the word refers to an object that is no root. */
void graph_begin_references(struct live_graph *graph, uint32_t number);
void graph_refer(struct live_graph *graph, uint64_t word);

/* ---- roots ---- */

/* Finds all roots and notes their names.  roots_read adds the references of
 * those that are not among the collector's objects; it is called when the
 * references of these are complete. */
void roots_take(struct live_graph *graph);
void roots_read(struct live_graph *graph);

/* ---- names ----
 *
 *     CL-USER::*CACHE*               a symbol
 *     CL-USER::*X* in WORKER         its binding in a thread
 *     HASH-TABLE (from before)       what was not counted
 *
 * A holder is its name: to the reader, what has the same one is the same. */

/* Notes that the holder NUMBER is called what was printed to graph->name,
 * which is empty then; VALUE is that of NOTE_HOLDER. */
void graph_note(struct live_graph *graph, uint32_t number, uint64_t value);
