/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* What a file says to be live, and what it means beside what it says to be
 * allocated.
 *
 * In a profile of the whole time of a program, what is live is a part of what
 * was allocated.  Other programs write differences, too.  With the
 * allocations of an interval and all that is live at its end (Pyroscope,
 * Datadog), more can be live than was allocated.  Go's `?seconds=N' subtracts
 * both, so that what is live can be negative: this is no measure, and is left
 * out.
 */

#include "pprof/reading.h"

/* Lets what was live stand for what was allocated. */
static void
take_live(struct reading *reading)
{
  struct profile_column *columns = reading->heading.column_of;
  columns[MEASURE_ALLOCS] = columns[MEASURE_KEPT_ALLOCS];
  columns[MEASURE_BYTES] = columns[MEASURE_KEPT_BYTES];
  reading->heading.gaps.live = reading->heading.file_count;
}

/* Returns VALUES' figure of MEASURE, 0 if the file or the sample lacks it. */
static uint64_t
value_of(const struct reading *reading, const struct numbers *values,
         enum measure measure)
{
  const int index = reading->heading.column_of[measure].index;
  return index == NO_COLUMN || (size_t)index >= values->count
             ? 0
             : values->items[index];
}

/* What the samples of another program's file have. */
struct live_found {
  bool allocations;
  bool apart;    /* more is live somewhere than was allocated */
  bool negative; /* something that was live */
};

/* Notes in FOUND what the VALUES of a sample have. */
static void
look_at_values(const struct reading *reading, const struct numbers *values,
               struct live_found *found)
{
  const uint64_t bytes = value_of(reading, values, MEASURE_BYTES);
  const uint64_t kept = value_of(reading, values, MEASURE_KEPT_BYTES);
  const uint64_t allocs = value_of(reading, values, MEASURE_ALLOCS);
  const uint64_t objects = value_of(reading, values, MEASURE_KEPT_ALLOCS);
  const struct profile *heading = &reading->heading;
  const struct profile_column *columns = heading->column_of;
  found->allocations |= bytes != 0;
  found->apart |= kept * columns[MEASURE_KEPT_BYTES].scale >
                  bytes * columns[MEASURE_BYTES].scale;
  if (profile_has(heading, MEASURE_ALLOCS))
    found->apart |= objects > allocs;
  found->negative |= kept > INT64_MAX || objects > INT64_MAX;
}

/* Returns what the samples of the file have. */
static struct live_found
look_at_samples(const struct reading *reading)
{
  struct live_found found = {false, false, false};
  struct numbers values = {0};
  struct wire_walk walk = wire_walk(reading, &profile_schema, NULL);
  struct wire_field sample, field;
  while (wire_next(&walk, &sample)) {
    if (sample.number != PPROF_SAMPLE)
      continue;
    struct wire_walk parts = wire_walk(reading, &sample_schema, &sample);
    values.count = 0;
    while (wire_next(&parts, &field))
      if (field.number == PPROF_SAMPLE_VALUES)
        wire_read_numbers(reading, &field, &values);
    look_at_values(reading, &values, &found);
  }
  return found;
}

void
reading_live(struct reading *reading)
{
  struct profile *heading = &reading->heading;
  if (!profile_has(heading, MEASURE_KEPT_BYTES))
    return;
  if (!profile_has(heading, MEASURE_BYTES)) {
    take_live(reading);
    return;
  }
  if (heading->by_mprof)
    return;
  const struct live_found found = look_at_samples(reading);
  if (!found.allocations) {
    take_live(reading);
  } else if (found.negative) {
    heading->column_of[MEASURE_KEPT_ALLOCS].index = NO_COLUMN;
    heading->column_of[MEASURE_KEPT_BYTES].index = NO_COLUMN;
    heading->gaps.changes = heading->file_count;
  } else if (found.apart) {
    heading->gaps.apart = heading->file_count;
  }
}
