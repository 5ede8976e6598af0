/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * region_table.h -- named regions of a program: each path of names, from the
 * outermost region inward, is one region.
 *
 * A thread is in one region at a time, and what it allocates is labelled with
 * that; the figures of a region with all regions in it are sums, made when
 * the profile is read.  Here is only what cannot be summed: how often and how
 * long it was entered, when first and last, and, where objects are freed,
 * what of it was held at its end.
 *
 * The owner of a table has a lock; a stack belongs to its thread.  Memory
 * comes from the kernel alone: may run where the hook may.
 */
#ifndef MPROF_REGION_TABLE_H
#define MPROF_REGION_TABLE_H

#include <stdbool.h>
#include <stdint.h>

#include "image/arena.h"
#include "tables/intern_table.h"

enum {
  REGIONS = 4095,          /* in all, at most */
  REGION_PATH_BYTES = 200, /* longer paths are cut */
  REGION_DEPTH = 64        /* regions within one another, at most */
};

struct region {
  char path[REGION_PATH_BYTES]; /* names separated by ";"; in a name that and
                                   the backslash have a backslash before */
  uint32_t parent;              /* a smaller number; 0: none */
  uint64_t entered;
  uint64_t nanoseconds; /* in it, all threads together */
  uint64_t first, last; /* begin and end, of the real-time clock */
  uint64_t held_bytes;  /* live, with what is in it, when it ended */
  int64_t live_bytes;   /* of objects that were made in it, or in a region in
                           it; threads that count change it without a lock */
};

struct region_table { /* all zero: empty */
  struct arena arena;
  struct region *regions;    /* by number, from 1; NULL: none */
  uint32_t count;            /* numbers are smaller, if there are any */
  struct intern_table names; /* the parent and the path of each */
};

/* The regions that a thread has entered. */
struct region_stack { /* all zero: none */
  struct open_region {
    uint32_t outer;
    bool counted;   /* it is a region of its own */
    uint64_t since; /* of the monotonic clock */
  } open[REGION_DEPTH];
  unsigned depth;
  unsigned beyond; /* entered where there was no room */
  uint32_t region; /* the innermost; 0: none */
};

/* Enter the region `name' within the innermost one; where there is no room,
 * what is allocated there belongs to the region around it.  A name KEY=VALUE
 * is a label; where these are many, further values are KEY=[other].  Enter
 * the region `number' again, 0 standing for none, which is not counted as an
 * entry. Leave the innermost one, if any; `frees' says that live_bytes is
 * kept. */
void region_enter(struct region_table *table, struct region_stack *stack,
                  const char *name);
void region_resume(const struct region_table *table,
                   struct region_stack *stack, uint32_t number);
void region_leave(struct region_table *table, struct region_stack *stack,
                  bool frees);

/* Puts it into the image of the process, if that has one with room. */
void region_table_map(struct region_table *table);

/* Forget what was counted, but not the names: threads are in regions. */
void region_table_clear(struct region_table *table);

#endif
