/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * memory_map.h -- the memory of this process that it can write to and shares
 * with no other, as the kernel tells of it in /proc.
 *
 * What was never touched has no pages, and is not read: there is nothing in
 * it, it may be larger than all memory, and behind the end of a file it is a
 * SIGBUS.
 *
 * The other threads are stopped, or the map may be untrue.  Memory is the
 * kernel's.
 */
#ifndef MPROF_MEMORY_MAP_H
#define MPROF_MEMORY_MAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tree/arena.h"

struct mapping {
  uintptr_t start, end; /* neighbours are one */
  /* Of the objects in it, see heap_objects.h: */
  uint32_t first, count;
  size_t index; /* where its part of the index begins */
};

struct memory_map { /* all zero: not read */
  struct arena arena;
  struct mapping *mappings; /* by address */
  size_t count;
  int pages; /* the file that tells which pages there are, if it was read */
};

/* False: /proc cannot be read, or there is no memory; release it even then.
 */
bool memory_map_read(struct memory_map *map);
void memory_map_release(struct memory_map *map);

/* The one with that address, or NULL. */
struct mapping *memory_map_find(const struct memory_map *map,
                                uintptr_t address);

/* Call `visit' with the parts of what is from `start' to `end' that there is
 * something in. */
typedef void memory_visit_fn(void *closure, uintptr_t start, uintptr_t end);
void memory_map_visit(const struct memory_map *map, uintptr_t start,
                      uintptr_t end, memory_visit_fn *visit, void *closure);

#endif
