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
 * and so is of one moment.  All is as an image has it (image_format.h).
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

#include "tables/intern_table.h"
#include "image/note_list.h"

struct live_graph {     /* all zero: empty */
  struct arena objects; /* struct image_object; one more than there are says
                           where references end */
  struct intern_table addresses; /* by object; odd: a root that has none */
  uint32_t collected;            /* those up to here are the collector's */
  struct arena references;       /* uint32_t: numbers of objects */
  uint32_t reference_count;
  struct arena roots; /* struct root, in the order of their objects but for
                         those which are the collector's */
  uint32_t root_count;
  struct arena bodies; /* struct image_body, from 1 on */
  uint32_t body_count;
  struct arena outside; /* struct image_object, from 1 on: what the collector
                           did not give out */
  uint32_t outside_count;
  struct intern_table types; /* of what was not counted */
  uint32_t owner;            /* of the tree in hand */
  bool failed;               /* there was no memory */
};

/* Collect all there is.  The world is stopped, and what is loaded was looked
 * at before (monitor_list_code).  False: there is no memory. */
bool live_graph_take(struct live_graph *graph);

/* Notes its holders: roots by their places, from 1 on, then types of what was
 * not counted.  The world goes on, but no thread allocates. */
void live_graph_note(const struct live_graph *graph, struct note_list *notes);

void live_graph_release(struct live_graph *graph);

/* ---- objects and references: for roots.c ---- */

static inline struct image_object *
graph_object(const struct live_graph *graph, uint32_t number)
{
  return (struct image_object *)graph->objects.base + number;
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
  cl_object lisp;          /* symbol, package, class, codeblock, process */
  cl_object process;       /* of a binding */
  const char *file;        /* of data: the path of the shared object */
  const void *begin, *end; /* the words that it has; NULL: it is one of the
                              collector's objects */
};

static inline struct root *
graph_root(const struct live_graph *graph, uint32_t i)
{
  return (struct root *)graph->roots.base + i;
}

/* Returns the level of the root.  Roots take what they hold in the order of
 * these: named ones, data, stacks, others. */
static inline uint32_t
root_level(const struct root *root)
{
  return root->kind <= ROOT_CODE ? 0 : (uint32_t)(root->kind - ROOT_CODE);
}

/* Find them all, and the references of those that are not the collector's
 * objects, which have theirs already. */
void roots_take(struct live_graph *graph);
void roots_read(struct live_graph *graph);

/* ---- names ----
 *
 *     CL-USER::*CACHE*               a symbol
 *     CL-USER::*X* in WORKER         its binding in a thread
 *     HASH-TABLE (from before)       what was not counted
 *
 * A holder is its name: to the reader, what has the same one is the same. */

enum { NAME_ROOM = 1000 }; /* longer ones are cut */

void roots_note(const struct live_graph *graph, struct note_list *notes);
