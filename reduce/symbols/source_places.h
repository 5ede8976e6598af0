/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Which line of which file an address comes from, by the debug information.
 *
 * The line is one of the function that is active there: what was inlined into
 * it has the line of the outermost place where that was done, so that file
 * and line belong together.
 */

#ifndef MPROF_SOURCE_PLACES_H
#define MPROF_SOURCE_PLACES_H

#include "symbols/code_file.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct source_place {
  const char *file;   /* of the function, owned by the debug information; NULL
                         when not known */
  int64_t start_line; /* of the function, 0 when not known */
  int64_t line;       /* 0 when not known */
};

/* Code of one compilation unit. */
struct source_range {
  uint64_t low, high; /* HIGH is after it */
  size_t unit;
};

struct source_unit;

struct source_places {
  struct source_range *ranges; /* by low */
  size_t range_count, range_capacity;
  struct source_unit *units;
  size_t unit_count, unit_capacity;
};

/* Reads where the code of each unit is; INFORMATION may be NULL, and must
 * outlive PLACES.  False when memory runs out; release it even then. */
bool source_places_init(struct source_places *places, Dwarf *information);
void source_places_release(struct source_places *places);

/* Fills PLACE for ADDRESS.  A unit is read when it is first needed.  False
 * when memory runs out. */
bool source_places_find(struct source_places *places, uint64_t address,
                        struct source_place *place);

#endif
