/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* One pass over the samples; then rows are sorted, and those that are alike
 * added up. */

#include "export/chain_rows.h"

#include "base/array.h"

#include <string.h>

/* The group of SAMPLE, added when new; INDEX_NONE when memory runs out. */
static uint32_t
group_of(struct chain_rows *rows, struct index_map *known,
         const struct reduction *reduction, size_t sample)
{
  const struct profile *profile = reduction->profile;
  const struct profile_labels *labels =
      &profile->labels[profile->samples[sample].labels];
  uint32_t thread = labels->thread;
  uint32_t region = labels->region;
  enum phase phase = selection_phase(&reduction->selection, sample);
  /* the region and the phase in one number: there are few of both */
  uint64_t key = index_pair(region * PHASE_COUNT + (uint32_t)phase, thread);
  uint32_t index = index_map_find(known, key);
  if (index != INDEX_NONE)
    return index;
  struct chain_group *groups =
      array_reserve(rows->groups, &rows->group_capacity,
                    rows->group_count + 1, sizeof *groups);
  if (groups == NULL)
    return INDEX_NONE;
  rows->groups = groups;
  index = (uint32_t)rows->group_count;
  if (!index_map_add(known, key, index))
    return INDEX_NONE;
  groups[rows->group_count++] = (struct chain_group){
      .phase = phase, .thread = thread, .region = region};
  return index;
}

static bool
add_row(struct chain_rows *rows, const struct sample_count *count,
        uint32_t node, uint32_t group)
{
  struct chain_row *grown = array_reserve(rows->rows, &rows->row_capacity,
                                          rows->row_count + 1, sizeof *grown);
  if (grown == NULL)
    return false;
  rows->rows = grown;
  struct chain_row *row = &grown[rows->row_count++];
  *row =
      (struct chain_row){.node = node, .type = count->type, .group = group};
  memcpy(row->counts, count->counts, sizeof row->counts);
  return true;
}

static bool
add_calls(struct chain_rows *rows, const struct sample_count *count,
          uint32_t node, uint32_t group)
{
  struct chain_calls *grown = array_reserve(
      rows->calls, &rows->call_capacity, rows->call_count + 1, sizeof *grown);
  if (grown == NULL)
    return false;
  rows->calls = grown;
  grown[rows->call_count++] = (struct chain_calls){
      .node = node, .group = group, .calls = count->calls};
  return true;
}

static int
compare_rows(const void *left, const void *right)
{
  const struct chain_row *a = left;
  const struct chain_row *b = right;
  if (a->node != b->node)
    return a->node < b->node ? -1 : 1;
  if (a->type != b->type)
    return a->type < b->type ? -1 : 1;
  return a->group < b->group ? -1 : a->group > b->group;
}

static int
compare_calls(const void *left, const void *right)
{
  const struct chain_calls *a = left;
  const struct chain_calls *b = right;
  if (a->node != b->node)
    return a->node < b->node ? -1 : 1;
  return a->group < b->group ? -1 : a->group > b->group;
}

/* Sorts rows and calls, and makes one of those that are alike. */
static void
merge(struct chain_rows *rows)
{
  size_t count = 0;
  array_sort(rows->rows, rows->row_count, sizeof *rows->rows, compare_rows);
  for (size_t i = 0; i < rows->row_count; i++) {
    struct chain_row *row = &rows->rows[i];
    if (count > 0 && compare_rows(&rows->rows[count - 1], row) == 0) {
      for (int m = 0; m < MEASURE_COUNT; m++)
        rows->rows[count - 1].counts[m] += row->counts[m];
    } else {
      rows->rows[count++] = *row;
    }
  }
  rows->row_count = count;
  count = 0;
  array_sort(rows->calls, rows->call_count, sizeof *rows->calls,
             compare_calls);
  for (size_t i = 0; i < rows->call_count; i++) {
    struct chain_calls *calls = &rows->calls[i];
    if (count > 0 && compare_calls(&rows->calls[count - 1], calls) == 0)
      rows->calls[count - 1].calls += calls->calls;
    else
      rows->calls[count++] = *calls;
  }
  rows->call_count = count;
}

bool
chain_rows_init(struct chain_rows *rows, const struct chain_tree *tree)
{
  const struct profile *profile = tree->reduction->profile;
  struct index_map known = {0};
  bool good = true;
  memset(rows, 0, sizeof *rows);
  for (size_t i = 0; good && i < profile->sample_count; i++) {
    struct sample_count count;
    uint32_t node = tree->of_sample[i];
    uint32_t called = tree->of_calls[i];
    if (node == INDEX_NONE && called == INDEX_NONE)
      continue;
    uint32_t group = group_of(rows, &known, tree->reduction, i);
    selection_count(&tree->reduction->selection, i, &count);
    good = group != INDEX_NONE &&
           (node == INDEX_NONE || add_row(rows, &count, node, group)) &&
           (called == INDEX_NONE || add_calls(rows, &count, called, group));
  }
  index_map_release(&known);
  if (good)
    merge(rows);
  return good;
}

void
chain_rows_release(struct chain_rows *rows)
{
  free(rows->rows);
  free(rows->calls);
  free(rows->groups);
  memset(rows, 0, sizeof *rows);
}
