/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The list of measures, and where each is found; the names of the sample
 * types that mprof writes are Go's where it has them. */

#include "profile/measure.h"

#include "common/pprof_format.h"
#include "profile/profile.h"

const struct pprof_value_type pprof_columns[PPROF_COLUMNS] = {
    [PPROF_COUNT] = {"alloc_objects", "count"},
    [PPROF_BYTES] = {"alloc_space", "bytes"},
    [PPROF_KEPT_COUNT] = {"inuse_objects", "count"},
    [PPROF_KEPT_BYTES] = {"inuse_space", "bytes"},
    [PPROF_CALLS] = {"activations", "count"},
    [PPROF_PEAK_COUNT] = {"peak_objects", "count"},
    [PPROF_PEAK_BYTES] = {"peak_space", "bytes"},
    [PPROF_TEMPORARY] = {"temporary_objects", "count"},
    [PPROF_LOST_COUNT] = {"lost_objects", "count"},
    [PPROF_LOST_BYTES] = {"lost_space", "bytes"},
    [PPROF_INDIRECT_COUNT] = {"indirectly_lost_objects", "count"},
    [PPROF_INDIRECT_BYTES] = {"indirectly_lost_space", "bytes"},
    [PPROF_HELD_COUNT] = {"held_objects", "count"},
    [PPROF_HELD_BYTES] = {"held_space", "bytes"},
    [PPROF_FREED_COUNT] = {"freed_objects", "count"},
    [PPROF_FREED_BYTES] = {"freed_space", "bytes"},
};

#define NO_HINT                                                              \
  {                                                                          \
    "", ""                                                                   \
  }
#define START_LIVE ": start with (mprof:start :live t)"

/* The rows of bytes and of objects of KIND.  OF is the kind that --value
 * makes of them, and that their columns have; the noun has BEFORE and BEHIND
 * around it. */
#define PAIR(kind, of, word, event, before, behind, what, c, lisp)           \
  [MEASURE_##kind##_BYTES] = {word,                                          \
                              word "_bytes",                                 \
                              event "Bytes",                                 \
                              before "bytes" behind,                         \
                              what,                                          \
                              true,                                          \
                              MEASURE_##of##_BYTES,                          \
                              MEASURE_##of##_ALLOCS,                         \
                              PPROF_##of##_BYTES,                            \
                              {c, lisp}},                                    \
  [MEASURE_##kind##_ALLOCS] = {word "-allocs",                               \
                               word "_allocations",                          \
                               event "Allocs",                               \
                               before "objects" behind,                      \
                               what,                                         \
                               false,                                        \
                               MEASURE_##of##_BYTES,                         \
                               MEASURE_##of##_ALLOCS,                        \
                               PPROF_##of##_COUNT,                           \
                               {c, lisp}}

const struct measure_row measure_rows[MEASURE_NAMES + 1] = {
    [MEASURE_BYTES] = {"bytes", "bytes", "Bytes", "bytes", NULL, true,
                       MEASURE_BYTES, MEASURE_ALLOCS, PPROF_BYTES},
    [MEASURE_ALLOCS] = {"allocs", "allocations", "Allocs", "allocations",
                        NULL, false, MEASURE_BYTES, MEASURE_ALLOCS,
                        PPROF_COUNT},
    PAIR(KEPT, KEPT, "kept", "Kept", "", " kept", "never freed", "", ""),
    PAIR(PEAK, PEAK, "peak", "Peak", "", " at the peak", "live at the peak",
         "", START_LIVE),
    [MEASURE_TEMPORARY_ALLOCS] = {"temporary", "temporary_allocations",
                                  "TemporaryAllocs", "temporary objects",
                                  "freed soon after it was allocated", false,
                                  MEASURE_COUNT, MEASURE_TEMPORARY_ALLOCS,
                                  PPROF_TEMPORARY, NO_HINT},
    PAIR(LOST, LOST, "lost", "Lost", "", " lost directly",
         "never freed, and lost at the end",
         ": run the program with mprof run --reachable", ""),
    PAIR(HELD, HELD, "held", "Held", "", " held", "alive, by holder", "",
         START_LIVE ", and save with :holders t"),
    PAIR(LIVE, KEPT, "live", "Live", "live ", "",
         "alive at the last collection", "",
         START_LIVE ", and save with :collect t"),
};

const struct measure_row *
measure_row(const struct profile *profile, enum measure measure)
{
  bool live =
      profile->language == LANGUAGE_LISP &&
      (measure == MEASURE_KEPT_BYTES || measure == MEASURE_KEPT_ALLOCS);
  int ahead = live ? MEASURE_LIVE_BYTES - MEASURE_KEPT_BYTES : 0;
  return &measure_rows[(int)measure + ahead];
}

bool
measure_known(const struct profile *profile, enum measure measure)
{
  if (measure <= MEASURE_ALLOCS)
    return true;
  /* a monitor of Lisp has had columns of what is kept, and nothing in them;
     other programs drop the comment that tells */
  if (measure <= MEASURE_KEPT_ALLOCS)
    return profile_has(profile, MEASURE_KEPT_BYTES) &&
           (profile->language != LANGUAGE_LISP ||
            profile->facts[FACT_LIVE_COLLECTION] != 0 ||
            profile->total[MEASURE_KEPT_BYTES] != 0);
  return profile_has(profile, measure <= MEASURE_PEAK_ALLOCS
                                  ? (int)MEASURE_PEAK_BYTES
                                  : (int)measure);
}

const char *
measure_noun(const struct profile *profile, enum measure counted, bool bytes)
{
  const struct measure_row *row = &measure_rows[counted];
  const enum measure shown = bytes ? row->as_bytes : row->as_allocs;
  return shown == MEASURE_COUNT ? "bytes" : measure_row(profile, shown)->noun;
}
