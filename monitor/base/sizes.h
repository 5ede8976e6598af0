/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * sizes.h -- how large tables begin and where they end.
 *
 * With MPROF_TINY all tables begin with next to nothing, so that each of them
 * grows over and over in the tests (make check-tiny).  That changes no
 * figure of a program with fewer names than SIZE_KEPT_OBJECTS.
 */
#pragma once

#ifdef MPROF_TINY
#define SIZE_OF(tiny, usual) (tiny)
#else
#define SIZE_OF(tiny, usual) (usual)
#endif

enum {
  SIZE_INDEX_BITS = SIZE_OF(4, 9), /* log2 of the slots of a record_index */
  /* Places in the tables of a Lisp thread (call_site.h, kept_walks.h,
   * last_objects.h), at first and at most; powers of 2. */
  SIZE_FIRST_SITES = SIZE_OF(4, 128),
  SIZE_FIRST_STEPS = SIZE_OF(4, 256),
  SIZE_MOST_STEPS = SIZE_OF(16, 1 << 16),
  SIZE_FIRST_OBJECTS = SIZE_OF(4, 64),
  SIZE_MOST_OBJECTS = SIZE_OF(16, 1024),
  /* Contexts, and leaves, of a tree; usually a page of each array. */
  SIZE_FIRST_ROOM = SIZE_OF(16, 62),
  /* Of an arena that grows; bytes, whole pages. */
  SIZE_FIRST_ARENA = SIZE_OF(4096, 1 << 18),
  SIZE_SHARED_TABLE_BITS = SIZE_OF(2, 10), /* log2 of the first places */
  SIZE_KEPT_OBJECTS = SIZE_OF(1 << 12, 1 << 19) /* kept_objects.h, at most */
};
