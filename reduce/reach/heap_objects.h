/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* All objects that a program has, by their addresses.
 *
 * Nobody has a list of them: they are found by their headers (the monitor's
 * object_header.h), in all memory that the program can write to, and those
 * without one in their table (object_table.h).
 *
 * Cost: each word of that memory is looked at; 32 bytes an object.
 */

#pragma once

#include "c/count/stripes.h"
#include "reach/remote_memory.h"

enum heap_object_state {
  OBJECT_UNSEEN,
  OBJECT_REACHED,
  OBJECT_LOST,           /* nothing that was lost leads to it either */
  OBJECT_LOST_INDIRECTLY /* something lost does */
};

struct heap_object {
  uint64_t address, bytes;
  uint32_t leaf; /* number of its leaf; 0: it is in no figures */
  uint32_t next; /* next object to be looked into: its number plus 1 */
  enum heap_object_state state;
};

struct heap_objects {          /* all zero: none */
  struct heap_object *objects; /* by address */
  size_t count, capacity;
};

/* Fills HEAP, which is empty, with the objects of the process whose MEMORY
 * this is, which counts in COUNTERS and asks for SEARCH. */
void heap_objects_list(struct heap_objects *heap,
                       struct remote_memory *memory,
                       const struct stripes *counters,
                       const struct image_search *search);

/* Returns the object that begins at ADDRESS or has it within, or NULL.  An
 * object of no bytes has its first address. */
struct heap_object *heap_objects_find(const struct heap_objects *heap,
                                      uint64_t address);
