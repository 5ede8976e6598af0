/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The lists of free memory that the GNU C library's allocator has among its
 * variables.
 *
 * They have addresses at which no object begins for the allocator, and one
 * does for the program, as the header is between: what stands behind the last
 * block of all is in the last words of the object before it.  So they are no
 * roots.
 *
 * The library does not say where they are.  They are known by what they are:
 * rings, 127 one after the other, each of which leads back to itself.
 */

#ifndef MPROF_REACH_BINS_H
#define MPROF_REACH_BINS_H

#include "reach/remote_memory.h"

/* Sets *FIRST and *LAST to where they begin and end, and what belongs to them,
 * among the variables from START to END; to 0 where there are none. */
void bins_find(struct remote_memory *memory, uint64_t start, uint64_t end,
               uint64_t *first, uint64_t *last);

#endif
