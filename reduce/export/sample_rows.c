/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The few rows of each node are sorted, and those that are alike added up. */

#include "export/sample_rows.h"

#include "base/array.h"
#include "base/lists.h"

#include <string.h>

static int
compare_rows(const void *left, const void *right)
{
  const struct sample_row *a = left;
  const struct sample_row *b = right;
  for (int k = 0; k < ROW_KEYS; k++)
    if (a->keys[k] != b->keys[k])
      return a->keys[k] < b->keys[k] ? -1 : 1;
  return 0;
}

/* Appends what the sample I has for NODE. */
static bool
add_row(struct sample_rows *rows, const struct reduction *reduction,
        uint32_t node, uint32_t i, enum rows_of of)
{
  const struct profile *profile = reduction->profile;
  const struct profile_labels *labels =
      &profile->labels[profile->samples[i].labels];
  struct sample_count count;
  selection_count(&reduction->selection, i, &count);
  if (!ARRAY_ROOM(rows->rows, rows->capacity, rows->count + 1))
    return false;
  struct sample_row *row = &rows->rows[rows->count++];
  *row = (struct sample_row){
      .node = node,
      .keys = {[ROW_THREAD] = labels->thread,
               [ROW_REGION] = labels->region,
               [ROW_PHASE] = selection_phase(&reduction->selection, i)}};
  if (of == ROWS_OF_CALLS) {
    row->counts[COLUMN_OF_CALLS] = count.calls;
    return true;
  }
  row->keys[ROW_TYPE] = count.type;
  if (of == ROWS_OF_SIZES) {
    row->keys[ROW_SIZE_KIND] = count.size_kind;
    row->keys[ROW_OBJECT_BYTES] =
        count.size_kind == SIZE_LARGE ? 0 : count.object_bytes;
  }
  memcpy(row->counts, count.counts, sizeof count.counts);
  return true;
}

/* Sorts the rows of one node, from FIRST on, and makes one of those that are
 * alike. */
static void
merge_rows(struct sample_rows *rows, size_t first)
{
  size_t count = first;
  array_sort(rows->rows + first, rows->count - first, sizeof *rows->rows,
             compare_rows);
  for (size_t i = first; i < rows->count; i++) {
    const struct sample_row *row = &rows->rows[i];
    struct sample_row *last = &rows->rows[count - (count > first)];
    if (count > first && compare_rows(last, row) == 0)
      for (int c = 0; c < COLUMN_USES; c++)
        last->counts[c] += row->counts[c];
    else
      rows->rows[count++] = *row;
  }
  rows->count = count;
}

bool
sample_rows_init(struct sample_rows *rows, const struct chain_tree *tree,
                 enum rows_of of)
{
  struct lists samples;
  *rows = (struct sample_rows){0};
  bool good = lists_init(
      &samples, tree->count,
      of == ROWS_OF_CALLS ? tree->of_calls : tree->of_sample,
      tree->reduction->profile->sample_count);
  for (uint32_t node = 0; good && node < tree->count; node++) {
    size_t first = rows->count;
    uint32_t i = lists_first(&samples, node);
    for (; good && i != INDEX_NONE; i = lists_next(&samples, i))
      good = add_row(rows, tree->reduction, node, i, of);
    merge_rows(rows, first);
  }
  lists_release(&samples);
  return good;
}

void
sample_rows_release(struct sample_rows *rows)
{
  free(rows->rows);
}
