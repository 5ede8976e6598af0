/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* What was allocated, whoever did it: sums by type, by size, by phase, by
 * thread and by region.  A tally is built once from the samples that a
 * selection keeps, and then only read.
 */

#pragma once

#include "analysis/selection.h"

enum { LARGEST_BIN = 1024 }; /* bytes; larger objects share one bin */

enum bin_kind {
  BIN_SIZE,   /* all objects have the size of the bin */
  BIN_LARGE,  /* objects above LARGEST_BIN */
  BIN_GROWTH, /* bodies that grew; no objects of their own */
  BIN_UNKNOWN /* nobody counted the objects */
};

struct tally_bin {
  enum bin_kind kind;
  uint64_t size; /* bytes; for BIN_SIZE only */
  struct figures figures;
  size_t first_part, part_count; /* in parts */
};

struct tally {
  struct figures *types; /* by type of the profile */
  struct figures phases[PHASE_COUNT];
  struct figures *threads; /* by thread of the profile */
  struct figures *regions; /* by region, each without those in it */
  struct tally_bin *bins;  /* by kind, then by size */
  size_t bin_count, part_count;
  struct type_part *parts; /* by bin, its group; in a bin by bytes descending,
                              then by name */
};

/* Adds up in TALLY the samples that SELECTION keeps. */
void tally_init(struct tally *tally, const struct selection *selection);

/* Returns the place among TALLY's bins, which must be there, of objects of
 * the size BYTES, of KIND. */
size_t tally_bin_of(const struct tally *tally, enum size_kind kind,
                    uint64_t bytes);

/* Returns what people call TYPE: its class where it has one, else its type;
 * "" when the profile knows neither. */
const char *tally_type_name(const struct profile *profile,
                            const struct profile_type *type);

/* ---- named regions ---- */

/* The figures of one region, and what the monitor says of it in comments
 *
 *   mprof.region=ENTERED NANOSECONDS FIRST LAST HELD PATH
 *
 * (HELD is "-" where nothing is freed).  Times are in nanoseconds: SPENT is a
 * duration, FIRST and LAST count since the epoch.  Of several files, the
 * earliest FIRST and the latest LAST stay; the rest is added up. */
struct region_row {
  const char *path;        /* names from the outermost inward */
  uint64_t entered, spent; /* how often; nanoseconds in it */
  uint64_t first, last;    /* when first entered, last left; 0: unknown */
  uint64_t held;           /* bytes that were live when it was left last */
  bool knows_held;
  struct figures figures; /* with the regions in it */
};

/* Regions in the order of their paths: one stands above those in it, these in
 * the order of their names. */
struct region_figures {
  struct region_row *rows;
  size_t count, capacity;
  struct names paths;
};

/* Fills REGIONS from the comments of PROFILE and from BY_REGION, the figures
 * of its regions, each without those in it. */
void region_figures_init(struct region_figures *regions,
                         const struct profile *profile,
                         const struct figures *by_region);
