/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * sizes.h -- how large tables begin and where they end.
 *
 * With MPROF_TINY all tables begin with next to nothing, so that each of them
 * grows over and over in the tests (make check-tiny).  That changes no
 * figure.
 */
#pragma once

#ifdef MPROF_TINY
enum {
  SIZE_INDEX_BITS = 4,       /* of a record_index; 2 to the power of it */
  SIZE_FIRST_SITES = 4,      /* at hand in each thread; a power of 2 */
  SIZE_FIRST_STEPS = 4,      /* likewise */
  SIZE_MOST_STEPS = 16,      /* the same, at most */
  SIZE_FIRST_OBJECTS = 4,    /* likewise, in last_objects.h */
  SIZE_MOST_OBJECTS = 16,    /* the same, at most */
  SIZE_FIRST_ROOM = 16,      /* of a context tree; contexts, and leaves */
  SIZE_FIRST_ARENA = 4096,   /* of an arena that grows; bytes, whole pages */
  SIZE_SHARED_TABLE_BITS = 2 /* of a shared_table; 2 to the power of it */
};
#else
enum {
  SIZE_INDEX_BITS = 9,
  SIZE_FIRST_SITES = 128,
  SIZE_FIRST_STEPS = 256,
  SIZE_MOST_STEPS = 1 << 16,
  SIZE_FIRST_OBJECTS = 64,
  SIZE_MOST_OBJECTS = 1024,
  SIZE_FIRST_ROOM = 62, /* a page of each array */
  SIZE_FIRST_ARENA = 1 << 18,
  SIZE_SHARED_TABLE_BITS = 10
};
#endif
