/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Which value of a sample means what.
 *
 * Columns are found by the names of the sample types, in whatever order they
 * come, so that heap profiles of other programs can be read:
 *
 *   alloc_objects, alloc_space   what was allocated: mprof, Go
 *   inuse_objects, inuse_space   what of it was live: the same
 *   objects, space               what was live: tcmalloc, jemalloc, Node.js
 *
 * peak_objects, peak_space and temporary_objects are mprof's own.
 *
 * Where only what was live is there, it stands for what was allocated; also
 * where a file has columns for both, but counts no allocation.  Where none of
 * these is there, the sample type that the file says to show first, or the
 * first one that is measured in bytes, and the count that goes by the same
 * name: "x_bytes" with "x_objects".
 *
 * Only profile_samples.c and what merges profiles use this.
 */

#ifndef MPROF_PROFILE_COLUMNS_H
#define MPROF_PROFILE_COLUMNS_H

#include <stdbool.h>
#include <stdint.h>

struct reading;

enum { NO_COLUMN = -1 };

struct profile_column {
  int index;      /* among the values of a sample; NO_COLUMN: absent */
  uint64_t scale; /* bytes in one unit of it, 1 for counts */
};

struct profile_columns {
  struct profile_column allocs, bytes, kept_allocs, kept_bytes, activations;
  struct profile_column peak_allocs, peak_bytes, temporary_allocs;
  bool only_live; /* allocs and bytes are those of live objects */
};

/* Checks the sample types of the message of READING and fills its columns.
 * False: a fault, which is reported; a file without bytes is one. */
bool profile_columns_find(struct reading *reading);

/* Lets what was live stand for what was allocated. */
void profile_columns_take_live(struct profile_columns *columns);

#endif
