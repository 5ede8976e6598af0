/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * bins.h -- the lists of free memory that the GNU C library's allocator has
 * among its variables.
 *
 * They have addresses at which no object begins for the allocator, and one
 * does for the program, as the header is between: what stands behind the last
 * block of all is in the last words of the object before it.  So they are no
 * roots.
 *
 * The library does not say where they are.  They are known by what they are:
 * rings, 127 one after the other, each of which leads back to itself.
 */
#ifndef MPROF_BINS_H
#define MPROF_BINS_H

#include "malloc/reach/memory_map.h"

/* Set *first and *last to where they begin and end, and what belongs to them,
 * among the variables from `start' to `end'; to the same where there are
 * none. */
void bins_find(const struct memory_map *map, uintptr_t start, uintptr_t end,
               uintptr_t *first, uintptr_t *last);

#endif
