/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Samples keep the order in which the first of each kind came. */

#include "base/index_map.h"
#include "pprof/reader.h"

#include <string.h>

/* Sets KEY to what samples that become one have in common. */
static void
make_fold_key(const struct profile *profile, size_t i, uint64_t key[3])
{
  enum { KIND_CALLS, KIND_GROWTH, KIND_OBJECTS, KIND_KEPT };
  const struct profile_sample *sample = &profile->samples[i];
  uint64_t allocs = profile_value(profile, i, MEASURE_ALLOCS);
  uint64_t bytes = profile_value(profile, i, MEASURE_BYTES);
  uint64_t kept = profile_value(profile, i, MEASURE_KEPT_ALLOCS);
  uint64_t kept_bytes = profile_value(profile, i, MEASURE_KEPT_BYTES);
  key[0] = index_pair(sample->node, sample->labels);
  key[1] = allocs > 0  ? KIND_OBJECTS
           : bytes > 0 ? KIND_GROWTH
           : kept > 0  ? KIND_KEPT
                       : KIND_CALLS;
  key[2] = profile->labels[sample->labels].by_mprof ? 0
           : allocs > 0                             ? bytes / allocs
           : kept > 0                               ? kept_bytes / kept
                                                    : 0;
}

/* Adds COUNT values, which may be negative where no figure is made of them,
 * to SUMS.  Fails when one leaves 64 bits. */
static void
add_values(uint64_t *sums, const uint64_t *values, size_t count)
{
  for (size_t i = 0; i < count; i++) {
    int64_t sum;
    if (__builtin_add_overflow((int64_t)sums[i], (int64_t)values[i], &sum))
      fail_with(MPROF_BAD_PROFILE, "the sums of the files overflow");
    sums[i] = (uint64_t)sum;
  }
}

void
profile_fold_samples(struct profile *profile)
{
  struct row_table rows = {0};
  size_t width = profile->column_count;
  size_t count = 0;
  for (size_t i = 0; i < profile->sample_count; i++) {
    uint64_t key[3];
    const uint64_t *values = profile->values + i * width;
    make_fold_key(profile, i, key);
    uint32_t row = row_table_add(&rows, key, sizeof key / sizeof key[0]);
    if (row == count) {
      profile->samples[count] = profile->samples[i];
      memmove(profile->values + count * width, values,
              width * sizeof *values);
      count++;
    } else {
      add_values(profile->values + row * width, values, width);
    }
  }
  profile->sample_count = count;
  row_table_release(&rows);
}
