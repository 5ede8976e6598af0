/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The types of a program by their size: structures, unions, classes, and
 * names for them and for arrays, from its debug information.  Types of system
 * headers are left out, for nearly every program has those.
 */

#ifndef MPROF_PROGRAM_TYPES_H
#define MPROF_PROGRAM_TYPES_H

#include "base/names.h"

#include <elfutils/libdw.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct program_type {
  uint64_t size;
  const char *name; /* owned by the names */
};

struct program_types {
  struct names names;
  uint64_t *sizes; /* owned: those that are wanted, ascending */
  size_t size_count;
  struct program_type *types; /* by size, then name, once sorted */
  size_t count, capacity;
};

/* Takes over SIZES, allocated and in any order; NULL when there are none.
 * False when memory runs out; release it even then. */
bool program_types_init(struct program_types *types, uint64_t *sizes,
                        size_t size_count);
void program_types_release(struct program_types *types);

/* Adds the types that INFORMATION has; NULL has none. */
bool program_types_read(struct program_types *types, Dwarf *information);

/* Puts the types in order, each once. */
void program_types_sort(struct program_types *types);

#endif
