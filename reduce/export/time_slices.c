/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Reads the slices of time from the labels and comments of a profile; those
 * of several files that start at one time are one. */

#include "export/time_slices.h"

#include "common/pprof_format.h"

#include <inttypes.h>
#include <stdio.h>

/* A slice, as a comment says it. */
struct slice {
  uint64_t start;
  struct timeline_state state;
};

static bool
read_slice(const struct profile *profile, size_t comment, struct slice *slice)
{
  const char *text =
      profile_comment_value(profile, comment, PPROF_COMMENT_SLICE);
  return text != NULL &&
         sscanf(text, "%" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNu64,
                &slice->start, &slice->state.in_use, &slice->state.resident,
                &slice->state.collections) == 4;
}

/* Returns the number of the slice that starts at START, from 1 on. */
static size_t
find_slice(const struct time_slices *slices, uint64_t start)
{
  return array_count_until(slices->starts.items, slices->starts.count,
                           sizeof *slices->starts.items, start);
}

void
time_slices_find(struct time_slices *slices, const struct profile *profile)
{
  const size_t count = profile->label_rows.row_count;
  struct numbers *starts = &slices->starts;
  struct slice slice;
  for (size_t i = 0; i < count; i++)
    if (profile->labels[i].time >= 0)
      numbers_push(starts, (uint64_t)profile->labels[i].time);
  for (size_t i = 0; i < profile->comment_count; i++)
    if (read_slice(profile, i, &slice)) /* nothing was allocated in some */
      numbers_push(starts, slice.start);
  if (starts->count == 0)
    return;
  array_sort(starts->items, starts->count, sizeof *starts->items,
             array_compare_numbers);
  size_t last = 0;
  for (size_t i = 1; i < starts->count; i++)
    if (starts->items[i] != starts->items[last])
      starts->items[++last] = starts->items[i];
  starts->count = last + 1;
  slices->states = pool_zeroed(starts->count, sizeof *slices->states);
  for (size_t i = 0; i < profile->comment_count; i++)
    if (read_slice(profile, i, &slice)) {
      struct timeline_state *sum =
          &slices->states[find_slice(slices, slice.start) - 1];
      sum->in_use += slice.state.in_use;
      sum->resident += slice.state.resident;
      sum->collections += slice.state.collections;
    }
  slices->of_labels = pool_zeroed(count, sizeof *slices->of_labels);
  for (size_t i = 0; i < count; i++)
    if (profile->labels[i].time >= 0)
      slices->of_labels[i] =
          (uint32_t)find_slice(slices, (uint64_t)profile->labels[i].time);
}
