/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * heap_objects.h -- all objects that the program has, by their addresses.
 *
 * Nobody has a list of them: they are found by their headers
 * (object_header.h), in all memory that the process can write to, and those
 * without one in their table (object_table.h).
 *
 * They are looked for by an index, which for each few hundred addresses has
 * the first object behind the first of these.
 *
 * Cost: each word of that memory is looked at; 32 bytes an object, and 4 for
 * each part of the index.  The other threads are stopped, and the table is
 * locked.
 */
#ifndef MPROF_HEAP_OBJECTS_H
#define MPROF_HEAP_OBJECTS_H

#include "malloc/count/stripes.h"
#include "malloc/reach/memory_map.h"

enum heap_object_state {
  OBJECT_UNSEEN,
  OBJECT_REACHED,
  OBJECT_LOST,           /* nothing that was lost leads to it either */
  OBJECT_LOST_INDIRECTLY /* something lost does */
};

struct heap_object {
  uintptr_t address;
  size_t bytes;
  uint32_t leaf; /* 0: it is in no figures */
  uint32_t next; /* of those to be looked into; its number and 1 */
  enum heap_object_state state;
};

struct heap_objects { /* all zero: none */
  struct arena arena, index_arena;
  struct heap_object *objects; /* by address */
  uint32_t count;
  uint32_t *index; /* numbers of objects */
  unsigned shift;  /* of an address for its part */
  bool failed;     /* there was no memory */
};

/* False: there is no memory; release them even then.  The mappings of `map'
 * learn which are in them. */
bool heap_objects_list(struct heap_objects *heap, struct memory_map *map);
void heap_objects_release(struct heap_objects *heap);

/* The object that has the address, not only as its first; or NULL.  One of no
 * bytes has its address. */
struct heap_object *heap_objects_find(const struct heap_objects *heap,
                                      const struct memory_map *map,
                                      uintptr_t address);

#endif
