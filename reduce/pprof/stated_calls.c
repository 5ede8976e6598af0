/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Calls are stated in full where that takes fewer locations: chains that only
 * the stated ones need are long. */

#include "pprof/stated_calls.h"

#include "base/array.h"
#include "pprof/reading.h"

#include <inttypes.h>

/* By node of PROFILE, the allocations of longer chains in its samples from
 * FIRST on.  The caller frees it; NULL when memory runs out. */
static uint64_t *
sum_below(const struct profile *profile, size_t first)
{
  const struct tree *tree = &profile->tree;
  uint64_t *below = array_zeroed(tree->count, sizeof *below);
  struct sample_count counted;
  if (below == NULL)
    return NULL;
  for (size_t i = first; i < profile->sample_count; i++) {
    profile_count(profile, i, &counted);
    below[profile->samples[i].node] += counted.counts[MEASURE_ALLOCS];
  }
  for (size_t i = tree->count; i-- > TREE_ROOT + 1;)
    below[tree->nodes[i].parent] += below[i];
  for (size_t i = first; i < profile->sample_count; i++) {
    profile_count(profile, i, &counted);
    below[profile->samples[i].node] -= counted.counts[MEASURE_ALLOCS];
  }
  return below;
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

bool
stated_calls_init(struct stated_calls *calls, struct reading *reading)
{
  const struct profile *heading = &reading->heading;
  *calls = (struct stated_calls){
      .active = reading->claims.adds_calls && reading->claims.by_mprof &&
                heading->language == LANGUAGE_C &&
                profile_has(heading, COLUMN_OF_CALLS)};
  /* no program of ours cuts chains as well */
  return !calls->active || heading->drop_frames == 0 ||
         reading_fault(reading, PPROF_DROP_FRAMES, 0,
                       "drop_frames and mprof.stated_calls exclude each "
                       "other");
}

bool
stated_calls_note(struct stated_calls *calls, struct reading *reading,
                  uint32_t node, uint64_t value)
{
  size_t nodes = reading->profile->tree.count;
  if (value == 0)
    return true;
  uint64_t *by_node = array_reserve(calls->by_node, &calls->capacity, nodes,
                                    sizeof *by_node);
  if (by_node == NULL)
    return mprof_error_memory(reading->error);
  calls->by_node = by_node;
  while (calls->node_count < nodes)
    by_node[calls->node_count++] = 0;
  calls->samples++;
  by_node[node] += by_node[node] == 0 ? value : value - 1;
  return true;
}

/* Adds the sums BELOW of chains without stated calls, and those that are
 * stated, with the set LABELS; ROW is a sample's, all zero. */
static bool
add_samples(const struct stated_calls *calls, struct reading *reading,
            size_t count, uint32_t labels, const uint64_t *below,
            uint64_t *row)
{
  struct profile *profile = reading->profile;
  uint64_t *total = &profile->total[COLUMN_OF_CALLS];
  uint64_t *value = &row[profile->column_of[COLUMN_OF_CALLS].index];
  for (uint32_t i = TREE_ROOT + 1; i < profile->tree.count; i++) {
    bool stated = i < calls->node_count && calls->by_node[i] != 0;
    *value = stated ? calls->by_node[i] - 1 : below[i];
    if (*value == 0)
      continue;
    if (!stated && *value > (uint64_t)INT64_MAX - *total)
      return reading_fault(reading, PPROF_SAMPLE, count,
                           "the sums overflow at sample %zu", count);
    *total += stated ? 0 : *value; /* what is stated is in it */
    if (!profile_add_sample(profile, (struct profile_sample){i, labels}, row))
      return mprof_error_memory(reading->error);
  }
  return true;
}

bool
stated_calls_add(const struct stated_calls *calls, struct reading *reading,
                 size_t count, uint64_t labels)
{
  struct profile *profile = reading->profile;
  if (!calls->active)
    return true;
  if (calls->samples != (uint64_t)reading->claims.stated_calls)
    return reading_fault(reading, PPROF_COMMENT, 0,
                         "mprof.stated_calls is %" PRId64 ", but %" PRIu64
                         " samples state calls",
                         reading->claims.stated_calls, calls->samples);
  uint64_t *below = sum_below(profile, reading->first_sample);
  uint64_t *row = array_zeroed(profile->column_count, sizeof *row);
  uint32_t set = profile_labels(profile, &labels, 1);
  bool good =
      below != NULL && row != NULL && set != INDEX_NONE
          ? add_samples(calls, reading, count, set, below, row)
          : mprof_error_memory(reading->error);
  free(below);
  free(row);
  return good;
}

void
stated_calls_release(struct stated_calls *calls)
{
  free(calls->by_node);
}

/* ---- writing ---- */

/* Adds up the stated calls of each node. */
static uint64_t *
sum_calls(const struct profile *profile)
{
  uint64_t *calls = array_zeroed(profile->tree.count, sizeof *calls);
  for (size_t i = 0; calls != NULL && i < profile->sample_count; i++)
    if (sample_states_calls(profile, i)) {
      struct sample_count count;
      profile_count(profile, i, &count);
      calls[profile->samples[i].node] += count.calls;
    }
  return calls;
}

bool
calls_to_state_init(struct calls_to_state *calls,
                    const struct profile *profile)
{
  const struct tree *tree = &profile->tree;
  uint64_t all = 0; /* locations that take either form */
  uint64_t others = 0;
  *calls = (struct calls_to_state){
      .active = profile->by_mprof && profile->language == LANGUAGE_C &&
                profile_has(profile, COLUMN_OF_CALLS) &&
                profile->drop_frames == 0};
  if (!calls->active)
    return true;
  calls->calls = sum_calls(profile);
  calls->below = sum_below(profile, 0);
  uint32_t *length = array_zeroed(tree->count, sizeof *length);
  bool good = calls->calls != NULL && calls->below != NULL && length != NULL;
  for (size_t i = TREE_ROOT + 1; good && i < tree->count; i++) {
    length[i] = length[tree->nodes[i].parent] + 1;
    all += calls->calls[i] != 0 ? length[i] : 0;
    others += calls->calls[i] != calls->below[i] ? length[i] : 0;
  }
  free(length);
  calls->all = all < others;
  return good;
}

uint64_t
calls_to_state_value(const struct calls_to_state *calls, size_t node)
{
  if (calls->all)
    return calls->calls[node];
  return calls->calls[node] == calls->below[node] ? 0
                                                  : calls->calls[node] + 1;
}

void
calls_to_state_release(struct calls_to_state *calls)
{
  free(calls->calls);
  free(calls->below);
}
