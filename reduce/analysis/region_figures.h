/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* What was allocated in each named region with those in it, and what the
 * monitor says of it in comments
 *
 *   mprof.region=ENTERED NANOSECONDS FIRST LAST HELD PATH
 *
 * (HELD is "-" where nothing is freed).  Regions are in the order of their
 * paths: a region stands above those in it, these in the order of their
 * names. Built once, then only read.
 */

#ifndef MPROF_REGION_FIGURES_H
#define MPROF_REGION_FIGURES_H

#include "analysis/figures.h"
#include "pprof/profile.h"

/* What is known of one region; times in nanoseconds, since the epoch but for
 * SPENT. */
struct region_row {
  const char *path; /* names from the outermost inward; owned by the table */
  uint64_t entered, spent;
  uint64_t first, last; /* when it was entered first, left last; 0: unknown */
  uint64_t held;        /* bytes that were live when it was left last */
  bool knows_held;
  struct figures figures; /* with the regions in it */
};

struct region_figures {
  struct region_row *rows; /* owned */
  size_t count, capacity;
  struct names paths;
};

/* Fills REGIONS from the comments of PROFILE and from BY_REGION, the figures
 * of its regions, each without those in it.  False when memory runs out;
 * release it even then. */
bool region_figures_init(struct region_figures *regions,
                         const struct profile *profile,
                         const struct figures *by_region);
void region_figures_release(struct region_figures *regions);

#endif
