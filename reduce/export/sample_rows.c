/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* As in chain_rows.c, the few rows of each node are sorted, and those that
 * are alike added up. */

#include "export/sample_rows.h"

#include "base/array.h"
#include "base/lists.h"

/* Allocations first, then by type, size, thread, region and phase. */
static int
compare_rows(const void *left, const void *right)
{
  const struct sample_row *a = left;
  const struct sample_row *b = right;
  if (a->is_calls != b->is_calls)
    return a->is_calls ? 1 : -1;
  if (a->type != b->type)
    return a->type < b->type ? -1 : 1;
  if (a->size_kind != b->size_kind)
    return a->size_kind < b->size_kind ? -1 : 1;
  if (a->object_bytes != b->object_bytes)
    return a->object_bytes < b->object_bytes ? -1 : 1;
  if (a->thread != b->thread)
    return a->thread < b->thread ? -1 : 1;
  if (a->region != b->region)
    return a->region < b->region ? -1 : 1;
  return a->phase < b->phase ? -1 : a->phase > b->phase;
}

/* Appends what the sample I allocated, or called, at NODE. */
static bool
add_row(struct sample_rows *rows, const struct reduction *reduction,
        uint32_t node, uint32_t i, bool is_calls)
{
  const struct profile *profile = reduction->profile;
  const struct profile_labels *labels =
      &profile->labels[profile->samples[i].labels];
  struct sample_row *grown = array_reserve(rows->rows, &rows->capacity,
                                           rows->count + 1, sizeof *grown);
  struct sample_count count;
  if (grown == NULL)
    return false;
  rows->rows = grown;
  profile_count(profile, i, &count);
  struct sample_row *row = &grown[rows->count++];
  *row = (struct sample_row){.node = node,
                             .thread = labels->thread,
                             .region = labels->region,
                             .phase = selection_phase(&reduction->selection,
                                                      i),
                             .is_calls = is_calls};
  if (is_calls) {
    row->values[PPROF_CALLS] = count.calls;
    return true;
  }
  row->type = count.type;
  row->size_kind = count.size_kind;
  row->object_bytes = count.size_kind == SIZE_LARGE ? 0 : count.object_bytes;
  for (int m = 0; m < MEASURE_COUNT; m++)
    row->values[measure_rows[m].column] = count.counts[m];
  return true;
}

/* Appends those of all samples that SAMPLES lists for NODE. */
static bool
add_rows(struct sample_rows *rows, const struct reduction *reduction,
         const struct lists *samples, uint32_t node, bool is_calls)
{
  uint32_t i = lists_first(samples, node);
  while (i != INDEX_NONE && add_row(rows, reduction, node, i, is_calls))
    i = lists_next(samples, i);
  return i == INDEX_NONE;
}

/* Sorts the rows of one node, from FIRST on, and makes one of those that are
 * alike. */
static void
merge_rows(struct sample_rows *rows, size_t first)
{
  size_t last = first;
  if (rows->count == first)
    return;
  array_sort(rows->rows + first, rows->count - first, sizeof *rows->rows,
             compare_rows);
  for (size_t i = first + 1; i < rows->count; i++) {
    struct sample_row *row = &rows->rows[last];
    if (compare_rows(row, &rows->rows[i]) == 0)
      for (int c = 0; c < PPROF_COLUMNS; c++)
        row->values[c] += rows->rows[i].values[c];
    else
      rows->rows[++last] = rows->rows[i];
  }
  rows->count = last + 1;
}

bool
sample_rows_init(struct sample_rows *rows, const struct chain_tree *tree)
{
  const struct reduction *reduction = tree->reduction;
  size_t samples = reduction->profile->sample_count;
  struct lists allocating;
  struct lists calling;
  *rows = (struct sample_rows){0};
  bool good =
      lists_init(&allocating, tree->count, tree->of_sample, samples);
  good = lists_init(&calling, tree->count, tree->of_calls, samples) && good;
  for (uint32_t node = 0; good && node < tree->count; node++) {
    size_t first = rows->count;
    good = add_rows(rows, reduction, &allocating, node, false) &&
           add_rows(rows, reduction, &calling, node, true);
    merge_rows(rows, first);
  }
  lists_release(&allocating);
  lists_release(&calling);
  return good;
}

void
sample_rows_release(struct sample_rows *rows)
{
  free(rows->rows);
}
