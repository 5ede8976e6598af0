/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * live_graph.h -- all that is alive, what refers to what, and which of it was
 * counted where: the reader finds who holds it (reduce/holders/).
 *
 * Model.  Objects are what the collector gave out, whether it was counted or
 * not, numbered from 1 in the order of their addresses.  Behind them come the
 * *roots* that lie elsewhere (roots.c).  A word refers to an object when the
 * collector would follow it: to its address, or to that and the tag of a
 * list. What has no pointers for the collector has no references here.
 *
 * The graph is read while the world is stopped, just after a full collection,
 * and so is of one moment.
 *
 * Memory: 40 bytes an object, 11 to 22 for its place in the index, and 4 for
 * each reference.  From the kernel: no malloc, no collector.
 *
 * Not inside the hook.  The collector is disabled from first to last
 * (monitor_images.c). */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include <ecl/ecl.h>

#include "image/note_list.h"
#include "lisp/names/classify.h"
#include "lisp/names/lisp_printer.h"
#include "tables/intern_table.h"

/* An array as the image has it. */
struct graph_array {
  struct arena arena;
  uint32_t count; /* records, with the record 0 that says how many come */
  uint32_t bytes; /* of one */
};

enum { GRAPH_ARRAYS = IMAGE_KINDS_END - IMAGE_OBJECTS };

struct live_graph { /* all zero but for `notes': empty */
  struct note_list *notes; /* for the names of its holders */
  struct graph_array arrays[GRAPH_ARRAYS];
  struct intern_table addresses; /* by object; odd: a root that has none */
  uint32_t collected;            /* those up to here are the collector's */
  struct arena roots; /* struct root, in the order of their objects but for
                         those which are the collector's */
  uint32_t root_count;
  struct intern_table types; /* of what was not counted */
  struct lisp_printer name;  /* of a holder that is noted */
  bool failed;               /* there was no memory */
};

/* Returns the array of KIND, from IMAGE_OBJECTS to IMAGE_OUTSIDE. */
static inline struct graph_array *
graph_array(struct live_graph *graph, enum image_kind kind)
{
  return &graph->arrays[kind - IMAGE_OBJECTS];
}

/* Collects all there is, and notes its holders: roots by their places, from 1
 * on, then types of what was not counted.  The world is stopped, and what is
 * loaded was looked at before (monitor_list_code).  Returns false without
 * memory. */
bool live_graph_take(struct live_graph *graph);

void live_graph_release(struct live_graph *graph);

/* ---- objects and references: for roots.c ---- */

/* Adds a record, all zero, to the array of KIND.  Returns it, which stays
 * until the next one is added, or sets graph->failed and returns NULL. */
void *graph_add_record(struct live_graph *graph, enum image_kind kind);

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

/* Adds an object at `address', which may be 0, and returns its number. */
uint32_t graph_add(struct live_graph *graph, uint64_t address);

/* Returns the number of the object that a word refers to; 0: none. */
uint32_t graph_find(const struct live_graph *graph, uint64_t word);

/* References are added object by object, in the order of their numbers: those
 * of all before `number' are complete. */
void graph_begin_references(struct live_graph *graph, uint32_t number);
void graph_refer(struct live_graph *graph, uint64_t word);

/* ---- roots ---- */

enum root_kind {
  ROOT_SYMBOL,
  ROOT_BINDING, /* of a symbol in a thread */
  ROOT_PACKAGE,
  ROOT_CLASS,
  ROOT_CODE,  /* a file of compiled code */
  ROOT_DATA,  /* the writable data of a shared object */
  ROOT_STACK, /* of a thread, and what else it has of its own */
  ROOT_OTHER  /* what no other reaches: the collector knows of more roots */
};

struct root {
  enum root_kind kind;
  uint32_t object;         /* its number */
  cl_object name;          /* or the symbol or class that has it; OBJNULL: it
                              has none */
  cl_object process;       /* of a binding or a stack */
  const char *file;        /* of data: the path of the shared object */
  const void *begin, *end; /* the words that it has; NULL: it is one of the
                              collector's objects */
};

static inline struct root *
graph_root(const struct live_graph *graph, uint32_t i)
{
  return (struct root *)graph->roots.base + i;
}

/* Find and note them all, and the references of those that are not the
 * collector's objects, which have theirs already. */
void roots_take(struct live_graph *graph);
void roots_read(struct live_graph *graph);

/* ---- names ----
 *
 *     CL-USER::*CACHE*               a symbol
 *     CL-USER::*X* in WORKER         its binding in a thread
 *     HASH-TABLE (from before)       what was not counted
 *
 * A holder is its name: to the reader, what has the same one is the same. */

/* Notes that the root or type NUMBER is called what was printed to
 * graph->name; VALUE as NOTE_HOLDER has it. */
void graph_note(struct live_graph *graph, uint32_t number, uint64_t value);
