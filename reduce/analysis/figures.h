/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Sums of what samples count: all measures, and bytes by category. */

#pragma once

#include "profile/profile.h"

/* Even, so that compilers add them two by two. */
enum { FIGURES_WORDS = (MEASURE_COUNT + 2 * CATEGORY_COUNT + 1) & ~1 };

/* Counts and bytes of a set of allocations, by enum measure or by name.
 * Bytes are bytes requested; kept is what was never freed (in Lisp what was
 * alive at the last collection), peak what was live when most bytes were,
 * temporary what was freed before the next allocations. */
struct figures {
  union {
    struct {
      union {
        uint64_t counts[MEASURE_COUNT];
        struct {
          uint64_t bytes, allocs;
          uint64_t kept_bytes, kept_allocs;
          uint64_t peak_bytes, peak_allocs;
          uint64_t temporary_allocs;
          uint64_t lost_bytes, lost_allocs;
          uint64_t held_bytes, held_allocs;
        };
      };
      uint64_t by_category[CATEGORY_COUNT];   /* bytes, or objects if a
                                                 selection counts a measure of
                                                 objects */
      uint64_t category_kept[CATEGORY_COUNT]; /* bytes kept */
    };
    uint64_t words[FIGURES_WORDS]; /* all of these */
  };
};

_Static_assert(offsetof(struct figures, temporary_allocs) ==
                   MEASURE_TEMPORARY_ALLOCS * sizeof(uint64_t),
               "names are in the order of enum measure");

/* The part of a group, a function or a size, that is of one type. */
struct type_part {
  uint32_t group;         /* a node of the call graph, or a bin */
  uint32_t type;          /* index into the profile's types */
  struct figures figures; /* of a node bytes and allocations alone, the rest
                             is 0; of a bin all */
};

/* Adds MORE to SUM. */
static inline void
figures_add(struct figures *restrict sum, const struct figures *restrict more)
{
  for (int i = 0; i < FIGURES_WORDS; i++)
    sum->words[i] += more->words[i];
}

/* Returns what COUNT, of PROFILE, counts; without a category where sizes are
 * not known. */
static inline struct figures
figures_of(const struct profile *profile, const struct sample_count *count)
{
  struct figures figures = {0};
  for (int m = 0; m < MEASURE_COUNT; m++)
    figures.counts[m] = count->counts[m];
  if (count->size_kind != SIZE_UNKNOWN) {
    unsigned category = profile->types[count->type].category;
    figures.by_category[category] = figures.counts[count->weight];
    figures.category_kept[category] = figures.kept_bytes;
  }
  return figures;
}

/* Returns whether anything was allocated or kept.  In files of other programs
 * one can be there without the other. */
static inline bool
figures_any(const struct figures *figures)
{
  return figures->bytes != 0 || figures->allocs != 0 ||
         figures->kept_bytes != 0 || figures->kept_allocs != 0;
}

/* Stands for a number of calls that is not known: of a function of which they
 * are not counted, and of all that has such a number in it.  No sum is as
 * large. */
#define CALLS_UNKNOWN UINT64_MAX

/* Returns the calls A and B together, each of which may be CALLS_UNKNOWN. */
static inline uint64_t
calls_add(uint64_t a, uint64_t b)
{
  return a == CALLS_UNKNOWN || b == CALLS_UNKNOWN ? CALLS_UNKNOWN : a + b;
}
