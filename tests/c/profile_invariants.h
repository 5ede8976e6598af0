/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * profile_invariants.h -- reads files: what holds of every profile that was
 * read, whatever was in the file, and how one is refused.
 */
#pragma once

#include "attempting.h"
#include "profile/reader.h"

/* Reads the file PATH into PROFILE, which the caller releases. */
struct file_to_read {
  struct profile *profile;
  const char *path;
};

static inline void
try_file(void *closure)
{
  const struct file_to_read *file = closure;
  const struct reader_options options = {0};
  profile_init(file->profile);
  profile_read(file->profile, file->path, &options);
  profile_settle(file->profile);
}

static inline bool
read_file(struct profile *profile, const char *path,
          struct mprof_error *error)
{
  struct file_to_read file = {profile, path};
  memset(profile, 0, sizeof *profile);
  return attempt(pool_in_use(), try_file, &file, error);
}

/* Checks that every index of PROFILE is in range and that sums agree. */
static inline void
check_invariants(const struct profile *profile)
{
  uint64_t sums[COLUMN_USES] = {0};
  for (size_t i = 0; i < profile->sample_count; i++) {
    const struct profile_sample *sample = &profile->samples[i];
    struct sample_count count;
    assert_true(sample->node < profile->tree.count);
    assert_true(sample->labels < profile->label_rows.row_count);
    const struct profile_labels *labels = &profile->labels[sample->labels];
    assert_true(labels->thread < profile->thread_count);
    assert_true(labels->region < profile->region_count);
    profile_count(profile, i, &count);
    assert_true(count.type < profile->type_count);
    for (int m = 0; m < MEASURE_COUNT; m++)
      sums[m] += count.counts[m];
    sums[COLUMN_OF_CALLS] += count.calls;
    for (int use = COLUMN_OF_CALLS + 1; use < COLUMN_USES; use++)
      sums[use] += profile_value(profile, i, use);
  }
  for (size_t i = TREE_ROOT + 1; i < profile->tree.count; i++) {
    assert_true(profile->tree.nodes[i].parent < i);
    assert_true(profile->tree.nodes[i].item < profile->location_count);
  }
  for (size_t i = 0; i < profile->location_count; i++) {
    const struct profile_location *location = &profile->locations[i];
    assert_true(location->first_line + location->line_count <=
                profile->line_count);
    assert_true(location->mapping == INDEX_NONE ||
                location->mapping < profile->mapping_count);
  }
  for (size_t i = 0; i < profile->line_count; i++)
    assert_true(profile->lines[i].function == INDEX_NONE ||
                profile->lines[i].function < profile->function_count);
  for (size_t i = 0; i < profile->function_count; i++)
    assert_true(profile->functions[i].name < profile->names.count);
  for (size_t i = 0; i < profile->type_count; i++)
    assert_true(profile->types[i].category < CATEGORY_COUNT);
  for (int i = 0; i < COLUMN_USES; i++)
    assert_int_equal(profile->total[i], sums[i]);
  if (profile_knows(profile, FACT_BYTES))
    assert_int_equal(profile->facts[FACT_BYTES], sums[MEASURE_BYTES]);
}

/* Checks that PATH is refused for REASON; the offset that is named. */
static inline int64_t
check_refused(const char *path, const char *reason)
{
  struct profile profile;
  struct mprof_error error;
  bool good = read_file(&profile, path, &error);
  assert_false(good);
  if (strstr(error.message, reason) == NULL)
    fail_msg("%s, and not %s", error.message, reason);
  assert_int_equal(error.code, MPROF_BAD_PROFILE);
  assert_true(error.offset >= 0);
  return error.offset;
}
