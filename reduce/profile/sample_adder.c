/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Checks the values of a sample, finds the set of its labels, and adds it to
 * the profile. */

#include "profile/reading.h"

#include "common/region_path.h"

#include <inttypes.h>

void
sample_begin(struct reading *reading)
{
  const struct profile *heading = &reading->heading;
  reading->values.count = reading->labels.count = 0;
  numbers_push(
      &reading->labels,
      (heading->by_mprof ? LABELS_BY_MPROF : 0u) |
          (profile_has(heading, MEASURE_ALLOCS) ? LABELS_COUNT_OBJECTS : 0u) |
          (heading->language == LANGUAGE_LISP ? LABELS_OF_LISP : 0u));
}

void
sample_label(struct reading *reading, const uint64_t label[LABEL_WORDS])
{
  enum { KEY, TEXT, NUMBER };
  const char *key = profile_text(reading->profile, (uint32_t)label[KEY]);
  if ((int64_t)label[NUMBER] < 0 && label[TEXT] == 0 &&
      strcmp(key, PPROF_LABEL_BYTES) == 0)
    sample_fault(reading, "sample %zu has objects of %" PRId64 " bytes",
                 (int64_t)label[NUMBER]);
  numbers_reserve(&reading->labels, LABEL_WORDS);
  memcpy(reading->labels.items + reading->labels.count, label,
         LABEL_WORDS * sizeof *label);
  reading->labels.count += LABEL_WORDS;
}

/* ---- values ---- */

/* Returns whether the column INDEX of the file may not be negative, as some
 * figure is made of it. */
static bool
is_unsigned(const struct profile *heading, size_t index)
{
  for (int use = 0; use < COLUMN_USES; use++)
    if (heading->column_of[use].index == (int)index)
      return true;
  return heading->by_mprof;
}

/* Adds the values in hand to all sums, which must stay within 63 bits. */
static void
add_to_sums(struct reading *reading)
{
  for (int use = 0; use < COLUMN_USES; use++) {
    const struct profile_column column = reading->heading.column_of[use];
    uint64_t *value = &reading->by_use[use];
    uint64_t *total = &reading->profile->total[use];
    if (column.index == NO_COLUMN)
      continue;
    if (__builtin_mul_overflow(reading->values.items[column.index],
                               column.scale, value) ||
        *value > (uint64_t)INT64_MAX - *total)
      sample_fault(reading, "the sums overflow at sample %zu");
    reading->sums[use] += *value;
    *total += *value;
  }
}

/* Checks that the values of a file by mprof go together. */
static void
check_own_values(const struct reading *reading)
{
  const uint64_t *v = reading->by_use;
  if (v[MEASURE_KEPT_ALLOCS] > v[MEASURE_ALLOCS] ||
      v[MEASURE_KEPT_BYTES] > v[MEASURE_BYTES])
    sample_fault(reading, "sample %zu keeps more than it allocated");
  if (v[MEASURE_LOST_ALLOCS] + v[COLUMN_OF_INDIRECT_ALLOCS] >
          v[MEASURE_KEPT_ALLOCS] ||
      v[MEASURE_LOST_BYTES] + v[COLUMN_OF_INDIRECT_BYTES] >
          v[MEASURE_KEPT_BYTES])
    sample_fault(reading, "sample %zu has lost more than it kept");
  if (v[MEASURE_PEAK_ALLOCS] > v[MEASURE_ALLOCS] ||
      v[MEASURE_PEAK_BYTES] > v[MEASURE_BYTES] ||
      v[MEASURE_TEMPORARY_ALLOCS] > v[MEASURE_ALLOCS])
    sample_fault(reading,
                 "sample %zu has more objects at the peak, or more temporary "
                 "ones, than it allocated");
}

void
sample_check(struct reading *reading)
{
  const struct numbers *values = &reading->values;
  const struct profile *heading = &reading->heading;
  if (values->count != heading->column_count)
    sample_fault(reading,
                 "sample %zu has %zu values where there are %zu sample types",
                 values->count, heading->column_count);
  for (size_t i = 0; i < values->count; i++)
    if (values->items[i] > INT64_MAX && is_unsigned(heading, i))
      sample_fault(reading, "sample %zu has the negative value %" PRId64,
                   (int64_t)values->items[i]);
  add_to_sums(reading);
  if (heading->by_mprof)
    check_own_values(reading);
}

/* ---- samples ---- */

/* Returns the set of labels in hand. */
static uint32_t
find_labels(const struct reading *reading)
{
  enum { MOST_REGIONS = 64 }; /* within one another, as in the monitor */
  struct profile *profile = reading->profile;
  size_t known = profile->region_count, depth = 0;
  uint32_t labels =
      profile_labels(profile, reading->labels.items, reading->labels.count);
  if (known == profile->region_count)
    return labels;
  const char *path = profile_text(profile, profile->regions[known]);
  for (size_t length = strlen(path); length > 0 && depth <= MOST_REGIONS;
       length = region_path_outer(path, length))
    depth++;
  if (depth > MOST_REGIONS)
    sample_fault(reading, "sample %zu is in more than %d nested regions",
                 MOST_REGIONS);
  return labels;
}

void
sample_add(struct reading *reading, uint32_t node, uint32_t *labels)
{
  struct profile *profile = reading->profile;
  const int *sources = reading->sources;
  if (*labels == 0)
    *labels = find_labels(reading) + 1;
  uint64_t *values =
      profile_add_sample(profile, (struct profile_sample){node, *labels - 1});
  for (size_t i = 0; sources != NULL && i < profile->column_count; i++)
    values[i] = reading->values.items[sources[i]];
  for (int use = 0; sources == NULL && use < COLUMN_USES; use++)
    if (profile_has(profile, use))
      values[profile->column_of[use].index] = reading->by_use[use];
}
