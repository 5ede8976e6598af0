/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * heap.h -- the objects that the collector found alive, and which of them
 * refer to which: the graph in which holders are looked for.
 *
 * Model.  Objects are what the collector gave out, whether it was counted or
 * not, numbered from 1 in the order of their addresses.  Behind them come
 * the *roots* that lie elsewhere: static symbols, bindings, stacks, the data
 * of shared objects (roots.h).  A word refers to an object when the collector
 * would follow it: to its address, or to that and the tag of a list.  What
 * has no pointers for the collector has no references here.
 *
 * The graph is read while the world is stopped, just after a full collection,
 * and so is of one moment; all that is computed from it comes later.
 *
 * The objects, their references and what are parts of them are as an image has
 * them (image_format.h): the reader finds who holds what.
 *
 * Memory: 40 bytes an object, 11 to 22 for its place in the index, and 4 for
 * each reference.  From the kernel: no malloc, no collector.
 */
#ifndef MPROF_HEAP_H
#define MPROF_HEAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/image_format.h"
#include "image/arena.h"
#include "image/intern_table.h"

struct heap { /* all zero: empty */
  struct arena objects;    /* struct image_object; 0 is none, and one more than
                              there are says where references end */
  struct intern_table addresses; /* by object; odd: a root that has none */
  uint32_t collected;      /* those up to here are the collector's */
  struct arena references; /* uint32_t: numbers of objects */
  uint32_t reference_count;
  bool failed;             /* there was no memory, also for who uses it */
};

static inline struct image_object *
heap_object(const struct heap *heap, uint32_t number)
{
  return (struct image_object *)heap->objects.base + number;
}

/* The last number. */
static inline uint32_t
heap_count(const struct heap *heap)
{
  return heap->addresses.count;
}

/* 0: a root that has none. */
static inline uint64_t
heap_address(const struct heap *heap, uint32_t number)
{
  const uint64_t key = intern_table_key(&heap->addresses, number);
  return (key & 1) == 0 ? key : 0;
}

/* Take all objects that the collector has marked; with its lock. */
void heap_take_objects(struct heap *heap);

/* The number of a new object at `address', which may be 0. */
uint32_t heap_add(struct heap *heap, uint64_t address);

/* Whether the collector gave out so many bytes for an object: what does not
 * have them only looks as if it had a header of Lisp. */
bool heap_object_has(const struct heap *heap, uint32_t number, size_t bytes);

/* The number of the object that a word refers to; 0: none. */
uint32_t heap_find(const struct heap *heap, uint64_t word);

/* References are added object by object, in the order of their numbers: those
 * of all before `number' are complete. */
void heap_begin_references(struct heap *heap, uint32_t number);
void heap_refer(struct heap *heap, uint64_t word);

/* Those of all objects that are the collector's; the world is stopped. */
void heap_read_objects(struct heap *heap);

void heap_release(struct heap *heap);

#endif
