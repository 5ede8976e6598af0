/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * collector_tables.h -- the collector's tables of finalizers and weak links.
 *
 * Such a table is an object of the collector's own heap, of which it counts
 * the bytes like those of any other.  It has a power of 2 of places, and when
 * it is full one of twice the size takes its place.  So what all tables took,
 * those of before too, follows from the sizes that they have now.
 *
 * Where they are.  libgc keeps what it knows of the three of them side by
 * side in its data: of each the address, the entries and the size.  That is
 * looked for, since libgc has no name for it, and checked each time.
 *
 * Limits.  The layout is the collector's private affair (bdwgc 8.2).  What is
 * not as expected is not read.
 */
#ifndef MPROF_COLLECTOR_TABLES_H
#define MPROF_COLLECTOR_TABLES_H

#include <stdint.h>

/* Bytes that the collector has counted for tables since the process began; -1
 * when they cannot be found.  `start' and `end' of libgc's data.  Called with
 * the collector's lock held. */
int64_t collector_tables_bytes(uintptr_t start, uintptr_t end);

#endif
