/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Checks the values of a sample, finds the set of its labels, and adds it to
 * the profile. */

#include "profile/reading.h"

#include "common/region_path.h"

#include <inttypes.h>

void
sample_adder_init(struct sample_adder *adder, struct reading *reading)
{
  const struct profile *heading = &reading->heading;
  const size_t count = heading->column_count;
  *adder = (struct sample_adder){
      .reading = reading,
      .unsigned_columns = pool_zeroed(count, sizeof(bool)),
      .row = pool_zeroed(reading->profile->column_count, sizeof(uint64_t))};
  memset(adder->unsigned_columns, heading->by_mprof, count);
  for (int use = 0; use < COLUMN_USES; use++)
    if (profile_has(heading, use)) {
      adder->uses[adder->use_count++] = (uint8_t)use;
      adder->unsigned_columns[heading->column_of[use].index] = true;
    }
  numbers_push(
      &adder->labels,
      (heading->by_mprof ? LABELS_BY_MPROF : 0u) |
          (profile_has(heading, MEASURE_ALLOCS) ? LABELS_COUNT_OBJECTS : 0u) |
          (heading->language == LANGUAGE_LISP ? LABELS_OF_LISP : 0u));
}

void
sample_adder_begin(struct sample_adder *adder)
{
  adder->values.count = 0;
  adder->labels.count = 1;
}

void
sample_adder_label(struct sample_adder *adder,
                   const uint64_t label[LABEL_WORDS])
{
  enum { KEY, TEXT, NUMBER };
  const struct names *names = &adder->reading->profile->names;
  const char *key = names_text(names, (uint32_t)label[KEY]);
  if ((int64_t)label[NUMBER] < 0 && label[TEXT] == 0 &&
      strcmp(key, PPROF_LABEL_BYTES) == 0)
    sample_fault(adder, "sample %zu has objects of %" PRId64 " bytes",
                 adder->index, (int64_t)label[NUMBER]);
  numbers_reserve(&adder->labels, LABEL_WORDS);
  memcpy(adder->labels.items + adder->labels.count, label,
         LABEL_WORDS * sizeof *label);
  adder->labels.count += LABEL_WORDS;
}

/* ---- values ---- */

/* Adds the values in hand to all sums, which must stay within 63 bits. */
static void
add_to_sums(struct sample_adder *adder)
{
  const struct reading *reading = adder->reading;
  for (size_t i = 0; i < adder->use_count; i++) {
    const int use = adder->uses[i];
    const struct profile_column column = reading->heading.column_of[use];
    uint64_t *value = &adder->by_use[use];
    uint64_t *total = &reading->profile->total[use];
    if (__builtin_mul_overflow(adder->values.items[column.index],
                               column.scale, value) ||
        *value > (uint64_t)INT64_MAX - *total)
      sample_fault(adder, "the sums overflow at sample %zu", adder->index);
    adder->sums[use] += *value;
    *total += *value;
  }
}

/* Checks that the values of a file by mprof go together. */
static void
check_own_values(const struct sample_adder *adder)
{
  const uint64_t *v = adder->by_use;
  if (v[MEASURE_KEPT_ALLOCS] > v[MEASURE_ALLOCS] ||
      v[MEASURE_KEPT_BYTES] > v[MEASURE_BYTES])
    sample_fault(adder, "sample %zu keeps more than it allocated",
                 adder->index);
  if (v[MEASURE_LOST_ALLOCS] + v[COLUMN_OF_INDIRECT_ALLOCS] >
          v[MEASURE_KEPT_ALLOCS] ||
      v[MEASURE_LOST_BYTES] + v[COLUMN_OF_INDIRECT_BYTES] >
          v[MEASURE_KEPT_BYTES])
    sample_fault(adder, "sample %zu has lost more than it kept",
                 adder->index);
  if (v[MEASURE_PEAK_ALLOCS] > v[MEASURE_ALLOCS] ||
      v[MEASURE_PEAK_BYTES] > v[MEASURE_BYTES] ||
      v[MEASURE_TEMPORARY_ALLOCS] > v[MEASURE_ALLOCS])
    sample_fault(adder,
                 "sample %zu has more objects at the peak, or more temporary "
                 "ones, than it allocated",
                 adder->index);
}

void
sample_adder_check(struct sample_adder *adder)
{
  const struct numbers *values = &adder->values;
  const struct profile *heading = &adder->reading->heading;
  if (values->count != heading->column_count)
    sample_fault(adder,
                 "sample %zu has %zu values where there are %zu sample types",
                 adder->index, values->count, heading->column_count);
  for (size_t i = 0; i < values->count; i++)
    if (values->items[i] > INT64_MAX && adder->unsigned_columns[i])
      sample_fault(adder, "sample %zu has the negative value %" PRId64,
                   adder->index, (int64_t)values->items[i]);
  add_to_sums(adder);
  if (heading->by_mprof)
    check_own_values(adder);
}

/* ---- samples ---- */

/* Returns the set of labels in hand. */
static uint32_t
find_labels(const struct sample_adder *adder)
{
  enum { MOST_REGIONS = 64 }; /* within one another, as in the monitor */
  struct profile *profile = adder->reading->profile;
  size_t known = profile->region_count;
  uint32_t labels =
      profile_labels(profile, adder->labels.items, adder->labels.count);
  if (known == profile->region_count)
    return labels;
  const char *path = names_text(&profile->names, profile->regions[known]);
  size_t depth = 0;
  for (size_t length = strlen(path); length > 0 && depth <= MOST_REGIONS;
       length = region_path_outer(path, length))
    depth++;
  if (depth > MOST_REGIONS)
    sample_fault(adder, "sample %zu is in more than %d nested regions",
                 adder->index, MOST_REGIONS);
  return labels;
}

void
sample_adder_add(struct sample_adder *adder, uint32_t node, uint32_t *labels)
{
  struct profile *profile = adder->reading->profile;
  const int *sources = adder->reading->sources;
  for (size_t i = 0; sources != NULL && i < profile->column_count; i++)
    adder->row[i] = adder->values.items[sources[i]];
  for (size_t i = 0; sources == NULL && i < adder->use_count; i++) {
    const int use = adder->uses[i];
    adder->row[profile->column_of[use].index] = adder->by_use[use];
  }
  if (*labels == 0)
    *labels = find_labels(adder) + 1;
  profile_add_sample(profile, (struct profile_sample){node, *labels - 1},
                     adder->row);
}
