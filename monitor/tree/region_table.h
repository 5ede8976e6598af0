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
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <time.h>

#include "image/arena.h"
#include "tables/intern_table.h"

enum {
  REGIONS = 4095,          /* in all, at most */
  REGION_PATH_BYTES = 200, /* longer paths are cut; no regions within these */
  REGION_DEPTH = 64        /* regions within one another, at most */
};

struct region {
  char path[REGION_PATH_BYTES]; /* names separated by ";"; in a name that and
                                   the backslash have a backslash before */
  uint32_t parent;              /* number, smaller than its own; 0: none */
  uint64_t entered;     /* times it was entered, without region_resume */
  uint64_t nanoseconds; /* time spent in it, all threads together */
  uint64_t first, last; /* first entry and last exit, in nanoseconds since
                           1970; 0: none */
  uint64_t held_bytes;  /* live_bytes at the last exit */
  int64_t live_bytes;   /* live bytes of objects made in it or in a region in
                           it; atomic, changed by threads without the lock */
};

struct region_table {        /* all zero: empty; under its owner's lock */
  struct arena arena;        /* memory of `regions' */
  struct region *regions;    /* by number, from 1; NULL: none; atomic */
  uint32_t count;            /* last number + 1; 0: there was none yet */
  uint64_t since;            /* of the figures, on the monotonic clock */
  struct intern_table names; /* parent and path of each */
};

/* The regions that a thread has entered. */
struct region_stack { /* all zero: none */
  struct open_region {
    uint32_t outer; /* number of the region around it */
    bool counted;   /* false: resumed, or there was no room in the table */
    uint64_t since; /* entry, in nanoseconds of the monotonic clock */
  } open[REGION_DEPTH];
  unsigned depth;  /* regions entered; those beyond REGION_DEPTH are not in
                      `open' */
  uint32_t region; /* number of the innermost one; 0: none */
};

/* Returns the time of a clock, in nanoseconds. */
uint64_t nanoseconds(clockid_t clock);

/* Enters the region `name' within the innermost one; makes it if it is new.
 * If there is no room, allocations belong to the region around it.  A name
 * KEY=VALUE is a label; once three quarters of REGIONS are taken, new values
 * become KEY=[other].  Copies the name. */
void region_enter(struct region_table *table, struct region_stack *stack,
                  const char *name);

/* Returns the number of the region `name' within the region `number', which
 * is entered by nobody; `number' if there is no room.  Else as region_enter.
 */
uint32_t region_within(struct region_table *table, uint32_t number,
                       const char *name);

/* Enters the region `number' again, or no region if it is 0; not counted as
 * an entry. */
void region_resume(const struct region_table *table,
                   struct region_stack *stack, uint32_t number);

/* Leaves the innermost region, if any.  `frees': live_bytes is kept up to
 * date, and becomes held_bytes. */
void region_leave(struct region_table *table, struct region_stack *stack,
                  bool frees);

/* Puts the table into the image of the process, if that has one with room. */
void region_table_map(struct region_table *table);

/* Zeroes all figures; keeps the names, since threads are in regions. */
void region_table_clear(struct region_table *table);
