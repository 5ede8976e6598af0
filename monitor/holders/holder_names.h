/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * holder_names.h -- the names of what holds objects and was not counted, and
 * what each is.
 *
 *     CL-USER::*CACHE*               a symbol
 *     CL-USER::*X* in WORKER         its binding in a thread
 *     HASH-TABLE (from before)       what was not counted
 *
 * A holder is its name: what has the same one is the same.
 */
#ifndef MPROF_HOLDER_NAMES_H
#define MPROF_HOLDER_NAMES_H

#include <stdint.h>

#include "holders/heap.h"
#include "holders/roots.h"
#include "tree/intern_table.h"

/* What objects it is. */
struct holder {
  uint32_t what;     /* kind.what (context_tree.h) */
  uint32_t category; /* one more than enum category; 0: it is none */
};

struct holder_names { /* all zero but for the first */
  const struct heap *heap;
  struct intern_table names;    /* of holders, by their numbers */
  struct arena holders;         /* struct holder by number */
  struct intern_table of_types; /* what an uncounted object is -> ... */
  struct arena of_type;         /* ... uint32_t: the number of its holder */
};

/* The number of a holder, a new one when it is new; 0: there is no memory. */
uint32_t holder_of_object(struct holder_names *names,
                          const struct heap_object *object);
uint32_t holder_of_root(struct holder_names *names, const struct root *root);

void holder_names_release(struct holder_names *names);

#endif
