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
};

static const char never_freed[] = "never freed";
static const char at_the_peak[] = "live at the peak";
static const char alive[] = "alive at the last collection";
static const char start_live[] = "start with (mprof:start :live t)";
static const char held[] = "alive, by holder";
static const char save_holders[] =
    "start with (mprof:start :live t), and save with :holders t";
static const char lost[] = "never freed, and lost at the end";
static const char seek_lost[] = "run the program with mprof run --reachable";
static const char at_once[] = "freed soon after it was allocated";

const struct measure_row measure_rows[MEASURE_NAMES + 1] = {
    [MEASURE_BYTES] = {"bytes", "bytes", "Bytes", "bytes", NULL, true,
                       MEASURE_BYTES, MEASURE_ALLOCS, PPROF_BYTES},
    [MEASURE_ALLOCS] = {"allocs", "allocations", "Allocs", "allocations",
                        NULL, false, MEASURE_BYTES, MEASURE_ALLOCS,
                        PPROF_COUNT},
    [MEASURE_KEPT_BYTES] = {"kept", "kept_bytes", "KeptBytes", "bytes kept",
                            never_freed, true, MEASURE_KEPT_BYTES,
                            MEASURE_KEPT_ALLOCS, PPROF_KEPT_BYTES},
    [MEASURE_KEPT_ALLOCS] = {"kept-allocs", "kept_allocations", "KeptAllocs",
                             "objects kept", never_freed, false,
                             MEASURE_KEPT_BYTES, MEASURE_KEPT_ALLOCS,
                             PPROF_KEPT_COUNT},
    [MEASURE_PEAK_BYTES] = {"peak", "peak_bytes", "PeakBytes",
                            "bytes at the peak", at_the_peak, true,
                            MEASURE_PEAK_BYTES, MEASURE_PEAK_ALLOCS,
                            PPROF_PEAK_BYTES, start_live},
    [MEASURE_PEAK_ALLOCS] = {"peak-allocs", "peak_allocations", "PeakAllocs",
                             "objects at the peak", at_the_peak, false,
                             MEASURE_PEAK_BYTES, MEASURE_PEAK_ALLOCS,
                             PPROF_PEAK_COUNT, start_live},
    [MEASURE_TEMPORARY_ALLOCS] = {"temporary", "temporary_allocations",
                                  "TemporaryAllocs", "temporary objects",
                                  at_once, false, MEASURE_COUNT,
                                  MEASURE_TEMPORARY_ALLOCS, PPROF_TEMPORARY},
    [MEASURE_LOST_BYTES] = {"lost", "lost_bytes", "LostBytes",
                            "bytes lost directly", lost, true,
                            MEASURE_LOST_BYTES, MEASURE_LOST_ALLOCS,
                            PPROF_LOST_BYTES, seek_lost},
    [MEASURE_LOST_ALLOCS] = {"lost-allocs", "lost_allocations", "LostAllocs",
                             "objects lost directly", lost, false,
                             MEASURE_LOST_BYTES, MEASURE_LOST_ALLOCS,
                             PPROF_LOST_COUNT, seek_lost},
    [MEASURE_HELD_BYTES] = {"held", "held_bytes", "HeldBytes", "bytes held",
                            held, true, MEASURE_HELD_BYTES,
                            MEASURE_HELD_ALLOCS, PPROF_HELD_BYTES,
                            save_holders},
    [MEASURE_HELD_ALLOCS] = {"held-allocs", "held_allocations", "HeldAllocs",
                             "objects held", held, false, MEASURE_HELD_BYTES,
                             MEASURE_HELD_ALLOCS, PPROF_HELD_COUNT,
                             save_holders},
    [MEASURE_LIVE_BYTES] = {"live", "live_bytes", "LiveBytes", "live bytes",
                            alive, true, MEASURE_KEPT_BYTES,
                            MEASURE_KEPT_ALLOCS, PPROF_KEPT_BYTES,
                            start_live},
    [MEASURE_LIVE_ALLOCS] = {"live-allocs", "live_allocations", "LiveAllocs",
                             "live objects", alive, false, MEASURE_KEPT_BYTES,
                             MEASURE_KEPT_ALLOCS, PPROF_KEPT_COUNT,
                             start_live},
};

const struct measure_row *
measure_row(const struct profile *profile, enum measure measure)
{
  bool live = profile->language == LANGUAGE_LISP &&
              measure_rows[measure].what == never_freed;
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
            profile->fact_files[FACT_LIVE_COLLECTION] != 0 ||
            profile->total[MEASURE_KEPT_BYTES] != 0);
  return profile_has(profile, measure <= MEASURE_PEAK_ALLOCS
                                  ? (int)MEASURE_PEAK_BYTES
                                  : (int)measure);
}

const char *
measure_noun(const struct profile *profile, enum measure counted, bool bytes)
{
  const char *what = measure_row(profile, counted)->what;
  for (int i = 0; i < MEASURE_NAMES; i++)
    if (measure_rows[i].what == what && measure_rows[i].bytes == bytes)
      return measure_rows[i].noun;
  return "bytes";
}
