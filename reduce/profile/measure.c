/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The list of measures, and where each is found. */

#include "profile/measure.h"

static const char never_freed[] = "never freed";
static const char at_the_peak[] = "live when most bytes were";
static const char at_once[] = "freed before the next allocations";

const struct measure_row measure_rows[MEASURE_COUNT] = {
    [MEASURE_BYTES] = {"bytes", "bytes", "Bytes", "bytes", NULL, true},
    [MEASURE_ALLOCS] = {"allocs", "allocations", "Allocs", "allocations",
                        NULL, false},
    [MEASURE_KEPT_BYTES] = {"kept", "kept_bytes", "KeptBytes", "bytes kept",
                            never_freed, true},
    [MEASURE_KEPT_ALLOCS] = {"kept-allocs", "kept_allocations", "KeptAllocs",
                             "objects kept", never_freed, false},
    [MEASURE_PEAK_BYTES] = {"peak", "peak_bytes", "PeakBytes",
                            "bytes at the peak", at_the_peak, true},
    [MEASURE_PEAK_ALLOCS] = {"peak-allocs", "peak_allocations", "PeakAllocs",
                             "objects at the peak", at_the_peak, false},
    [MEASURE_TEMPORARY_ALLOCS] = {"temporary", "temporary_allocations",
                                  "TemporaryAllocs", "temporary objects",
                                  at_once, false},
};

bool
measure_known(const struct profile *profile, enum measure measure)
{
  switch (measure) {
  case MEASURE_KEPT_BYTES:
  case MEASURE_KEPT_ALLOCS:
    /* the monitor of Lisp has columns for it, and nothing in them */
    return profile->has_kept && (profile->language != LANGUAGE_LISP ||
                                 profile->total.kept_bytes != 0);
  case MEASURE_PEAK_BYTES:
  case MEASURE_PEAK_ALLOCS:
    return profile->has_peak;
  case MEASURE_TEMPORARY_ALLOCS:
    return profile->has_temporary;
  default:
    return true;
  }
}

const char *
measure_noun(enum measure counted, bool bytes)
{
  for (int i = 0; i < MEASURE_COUNT; i++)
    if (measure_rows[i].what == measure_rows[counted].what &&
        measure_rows[i].bytes == bytes)
      return measure_rows[i].noun;
  return "bytes";
}

uint64_t
measure_of_figures(const struct figures *figures, enum measure measure)
{
  switch (measure) {
  case MEASURE_ALLOCS:
    return figures->allocs;
  case MEASURE_KEPT_BYTES:
    return figures->kept_bytes;
  case MEASURE_KEPT_ALLOCS:
    return figures->kept_allocs;
  case MEASURE_PEAK_BYTES:
    return figures->peak_bytes;
  case MEASURE_PEAK_ALLOCS:
    return figures->peak_allocs;
  case MEASURE_TEMPORARY_ALLOCS:
    return figures->temporary_allocs;
  default:
    return figures->bytes;
  }
}

void
measure_add_sample(uint64_t counts[MEASURE_COUNT],
                   const struct profile_sample *sample)
{
  counts[MEASURE_BYTES] += sample->bytes;
  counts[MEASURE_ALLOCS] += sample->allocs;
  counts[MEASURE_KEPT_BYTES] += sample->kept_bytes;
  counts[MEASURE_KEPT_ALLOCS] += sample->kept_allocs;
  counts[MEASURE_PEAK_BYTES] += sample->peak_bytes;
  counts[MEASURE_PEAK_ALLOCS] += sample->peak_allocs;
  counts[MEASURE_TEMPORARY_ALLOCS] += sample->temporary_allocs;
}

void
measure_substitute(struct profile *profile, enum measure measure)
{
  for (size_t i = 0; i < profile->sample_count; i++) {
    struct profile_sample *sample = &profile->samples[i];
    uint64_t counts[MEASURE_COUNT] = {0};
    measure_add_sample(counts, sample);
    switch (measure) {
    case MEASURE_KEPT_BYTES:
    case MEASURE_KEPT_ALLOCS:
      sample->bytes = counts[MEASURE_KEPT_BYTES];
      sample->allocs = counts[MEASURE_KEPT_ALLOCS];
      break;
    case MEASURE_PEAK_BYTES:
    case MEASURE_PEAK_ALLOCS:
      sample->bytes = counts[MEASURE_PEAK_BYTES];
      sample->allocs = counts[MEASURE_PEAK_ALLOCS];
      break;
    case MEASURE_TEMPORARY_ALLOCS:
      sample->bytes = 0;
      sample->allocs = counts[MEASURE_TEMPORARY_ALLOCS];
      break;
    default:
      return;
    }
    sample->kept_bytes = sample->kept_allocs = 0;
    sample->peak_bytes = sample->peak_allocs = 0;
    sample->temporary_allocs = 0;
  }
  profile->has_kept = profile->has_peak = profile->has_temporary = false;
}
