/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * holder_names.h -- the names of what holds objects and was not counted, and
 * what each is.
 *
 *     CL-USER::*CACHE*               a symbol
 *     CL-USER::*X* in WORKER         its binding in a thread
 *     HASH-TABLE (from before)       what was not counted
 *
 * A holder is its name: to the reader, what has the same one is the same.
 */
#ifndef MPROF_HOLDER_NAMES_H
#define MPROF_HOLDER_NAMES_H

#include <stdint.h>

#include "image/note_list.h"
#include "lisp/holders/heap.h"
#include "lisp/holders/roots.h"

/* Note the root as the holder with that number. */
void holder_note_root(struct note_list *notes, uint32_t number,
                      const struct root *root);

/* What tells the types of uncounted objects apart: as the hook is told of
 * those that are counted, or the class of an instance. */
uint64_t holder_type(const struct heap *heap, uint32_t number);

/* Note the objects of a type as the holder with that number. */
void holder_note_type(struct note_list *notes, uint32_t number,
                      uint64_t type);

#endif
