/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The names of a C program's types by size, from its debug information: the
 * comments "mprof.type=SIZE NAME" of a profile.
 */

#ifndef MPROF_SIZE_TYPES_H
#define MPROF_SIZE_TYPES_H

#include "base/sink.h"
#include "pprof/profile.h"

struct named_type {
  uint64_t size;
  const char *name; /* of the profile; "...": there are more */
};

struct size_types {         /* by size, then by name, "..." last */
  struct named_type *items; /* owned */
  size_t count;
};

/* False when memory runs out; release TYPES even then. */
bool size_types_init(struct size_types *types, const struct profile *profile);
void size_types_release(struct size_types *types);

/* Writes the names of TYPES of SIZE, at most MOST. */
void size_types_write(const struct size_types *types, uint64_t size,
                      size_t most, struct sink *sink);

#endif
