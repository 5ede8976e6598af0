/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The few rows of each node are sorted, and those that are alike added up. */

#include "export/chain_rows.h"

#include "base/array.h"
#include "base/lists.h"

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

/* By type, then by group. */
static int
compare_rows(const void *left, const void *right)
{
  const struct chain_row *a = left;
  const struct chain_row *b = right;
  if (a->type != b->type)
    return a->type < b->type ? -1 : 1;
  return a->group < b->group ? -1 : a->group > b->group;
}

static int
compare_calls(const void *left, const void *right)
{
  const struct chain_calls *a = left;
  const struct chain_calls *b = right;
  return a->group < b->group ? -1 : a->group > b->group;
}

/* Sorts the rows of one node, from FIRST on, and makes one of those that are
 * alike. */
static void
merge_rows(struct chain_rows *rows, size_t first)
{
  size_t count = first;
  array_sort(rows->rows + first, rows->row_count - first, sizeof *rows->rows,
             compare_rows);
  for (size_t i = first; i < rows->row_count; i++) {
    struct chain_row *last = &rows->rows[count - (count > first)];
    if (count > first && compare_rows(last, &rows->rows[i]) == 0)
      for (int m = 0; m < MEASURE_COUNT; m++)
        last->counts[m] += rows->rows[i].counts[m];
    else
      rows->rows[count++] = rows->rows[i];
  }
  rows->row_count = count;
}

static void
merge_calls(struct chain_rows *rows, size_t first)
{
  size_t count = first;
  array_sort(rows->calls + first, rows->call_count - first,
             sizeof *rows->calls, compare_calls);
  for (size_t i = first; i < rows->call_count; i++) {
    struct chain_calls *last = &rows->calls[count - (count > first)];
    if (count > first && last->group == rows->calls[i].group)
      last->calls += rows->calls[i].calls;
    else
      rows->calls[count++] = rows->calls[i];
  }
  rows->call_count = count;
}

/* Fills in what was allocated, or what was called. */
static bool
collect(struct chain_rows *rows, struct index_map *known,
        const struct chain_tree *tree, bool calls)
{
  const struct reduction *reduction = tree->reduction;
  struct lists samples;
  bool good = lists_init(&samples, tree->count,
                         calls ? tree->of_calls : tree->of_sample,
                         reduction->profile->sample_count);
  for (uint32_t node = 0; good && node < tree->count; node++) {
    size_t first = calls ? rows->call_count : rows->row_count;
    uint32_t i = lists_first(&samples, node);
    if (i == INDEX_NONE)
      continue;
    for (; good && i != INDEX_NONE; i = lists_next(&samples, i)) {
      struct sample_count count;
      selection_count(&reduction->selection, i, &count);
      uint32_t group = group_of(rows, known, reduction, i);
      good = group != INDEX_NONE &&
             (calls ? add_calls(rows, &count, node, group)
                    : add_row(rows, &count, node, group));
    }
    if (calls)
      merge_calls(rows, first);
    else
      merge_rows(rows, first);
  }
  lists_release(&samples);
  return good;
}

bool
chain_rows_init(struct chain_rows *rows, const struct chain_tree *tree)
{
  struct index_map known = {0};
  memset(rows, 0, sizeof *rows);
  bool good =
      collect(rows, &known, tree, false) && collect(rows, &known, tree, true);
  index_map_release(&known);
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
