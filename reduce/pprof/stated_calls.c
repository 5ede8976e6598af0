/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Calls are stated in full where that takes fewer locations: chains that only
 * the stated ones need are long. */

#include "pprof/stated_calls.h"

#include "pprof/reading.h"

#include <inttypes.h>

/* By node of PROFILE, the allocations of longer chains in its samples from
 * FIRST on. */
static uint64_t *
sum_below(const struct profile *profile, size_t first)
{
  const struct tree *tree = &profile->tree;
  uint64_t *below = pool_zeroed(tree->count, sizeof *below);
  for (size_t i = first; i < profile->sample_count; i++)
    below[profile->samples[i].node] +=
        profile_value(profile, i, MEASURE_ALLOCS);
  for (size_t i = tree->count; i-- > TREE_ROOT + 1;)
    below[tree->nodes[i].parent] += below[i];
  for (size_t i = first; i < profile->sample_count; i++)
    below[profile->samples[i].node] -=
        profile_value(profile, i, MEASURE_ALLOCS);
  return below;
}

bool
states_calls(const struct profile *profile, const uint64_t *values,
             size_t words)
{
  int calls = profile->column_of[COLUMN_OF_CALLS].index;
  for (int i = 0; words == 1 && i < (int)profile->column_count; i++)
    if (values[i] != 0 && i != calls)
      return false;
  return words == 1;
}

bool
sample_states_calls(const struct profile *profile, size_t i)
{
  const struct profile_sample *sample = &profile->samples[i];
  size_t words;
  row_table_words(&profile->label_rows, sample->labels, &words);
  return sample->node != TREE_ROOT &&
         states_calls(profile, profile->values + i * profile->column_count,
                      words);
}

/* ---- reading ---- */

void
reading_add_calls(struct reading *reading, const struct numbers *stated,
                  size_t count, uint64_t labels)
{
  struct profile *profile = reading->profile;
  int64_t wanted = reading->stated_calls;
  if (stated->count / 2 != (uint64_t)wanted)
    reading_fault(reading, PPROF_COMMENT, 0,
                  "mprof.stated_calls is %" PRId64
                  ", but %zu samples state calls",
                  wanted, stated->count / 2);
  uint64_t *total = &profile->total[COLUMN_OF_CALLS];
  uint64_t *calls = sum_below(profile, reading->first_sample);
  uint64_t *row = pool_zeroed(profile->column_count, sizeof *row);
  uint32_t set = profile_labels(profile, &labels, 1);
  for (size_t i = 0; i < stated->count; i += 2) {
    calls[stated->items[i]] = 0; /* in place of the sum, ... */
    *total -= stated->items[i + 1];
  }
  for (size_t i = 0; i < stated->count; i += 2)
    calls[stated->items[i]] += stated->items[i + 1] - 1; /* ... each */
  for (uint32_t i = TREE_ROOT + 1; i < profile->tree.count; i++) {
    if (calls[i] == 0)
      continue;
    if (calls[i] > (uint64_t)INT64_MAX - *total)
      reading_fault(reading, PPROF_SAMPLE, count,
                    "the sums overflow at sample %zu", count);
    *total += calls[i];
    row[profile->column_of[COLUMN_OF_CALLS].index] = calls[i];
    profile_add_sample(profile, (struct profile_sample){i, set}, row);
  }
  pool_free(calls);
}

/* ---- writing ---- */

uint64_t *
calls_to_state(const struct profile *profile, bool *all)
{
  const struct tree *tree = &profile->tree;
  size_t length_of_all = 0; /* locations that take either form */
  size_t length_of_others = 0;
  uint64_t *calls = pool_zeroed(tree->count, sizeof *calls);
  uint64_t *below = sum_below(profile, 0);
  uint32_t *length = pool_zeroed(tree->count, sizeof *length);
  for (size_t i = 0; i < profile->sample_count; i++)
    if (sample_states_calls(profile, i))
      calls[profile->samples[i].node] +=
          profile_value(profile, i, COLUMN_OF_CALLS);
  for (size_t i = TREE_ROOT + 1; i < tree->count; i++) {
    length[i] = length[tree->nodes[i].parent] + 1;
    length_of_all += calls[i] != 0 ? length[i] : 0;
    length_of_others += calls[i] != below[i] ? length[i] : 0;
  }
  *all = length_of_all < length_of_others;
  for (size_t i = TREE_ROOT + 1; !*all && i < tree->count; i++)
    calls[i] = calls[i] == below[i] ? 0 : calls[i] + 1;
  pool_free(below);
  pool_free(length);
  return calls;
}
