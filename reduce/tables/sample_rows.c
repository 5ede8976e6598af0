/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Makes rows of the samples or calls at a node, sorts them, and adds up those
 * with equal keys. */

#include "tables/sample_rows.h"

#include "base/array.h"
#include "base/input_file.h"

#include <errno.h>
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

/* Returns the row of the sample I alone, or the call I, at NODE. */
static struct sample_row
row_of(const struct sample_rows *rows, uint32_t node, uint32_t i)
{
  const struct selection *selection = rows->tree->selection;
  const struct profile *profile = selection->profile;
  const uint32_t sample =
      rows->of == ROWS_OF_CALLS ? rows->tree->calls[i].sample : i;
  const uint32_t labels = profile->samples[sample].labels;
  const struct profile_labels *label = &profile->labels[labels];
  struct sample_row row = {.node = node, .sample = i};
  struct sample_count count;
  selection_count(selection, sample, &count);
  if (rows->of != ROWS_OF_PARTS) {
    row.keys[ROW_THREAD] = label->thread;
    row.keys[ROW_REGION] = rows->of == ROWS_OF_CONTEXTS ? 0 : label->region;
    row.keys[ROW_PHASE] = selection_phase(selection, sample);
  }
  if (rows->of == ROWS_OF_CALLS) {
    row.counts[COLUMN_OF_CALLS] = count.calls;
    return row;
  }
  memcpy(row.counts, count.counts, sizeof count.counts);
  for (int c = COLUMN_OF_FREED_ALLOCS; c <= COLUMN_OF_FREED_BYTES; c++)
    row.counts[c] = profile_value(profile, sample, c);
  row.keys[ROW_TYPE] = count.type;
  if (rows->slices != NULL)
    row.keys[ROW_SLICE] = rows->slices[labels];
  if (rows->line_of_sample != NULL)
    row.keys[ROW_LINE] = rows->line_of_sample[i];
  if (rows->of == ROWS_OF_SIZES || rows->of == ROWS_OF_CONTEXTS) {
    row.keys[ROW_SIZE_KIND] = count.size_kind;
    row.keys[ROW_OBJECT_BYTES] =
        count.size_kind == SIZE_LARGE ? 0 : count.object_bytes;
  }
  return row;
}

void
sample_rows_init(struct sample_rows *rows, const struct call_tree *tree,
                 enum rows_of of)
{
  const size_t node_count = tree->tree.count;
  *rows = (struct sample_rows){.tree = tree, .of = of};
  if (of != ROWS_OF_CALLS) {
    lists_init(&rows->samples, node_count, tree->of_sample,
               tree->selection->profile->sample_count);
    return;
  }
  uint32_t *nodes = pool_zeroed(tree->call_count, sizeof *nodes);
  for (size_t i = 0; i < tree->call_count; i++)
    nodes[i] = tree->calls[i].node;
  lists_init(&rows->samples, node_count, nodes, tree->call_count);
  pool_free(nodes);
}

void
sample_rows_add(struct sample_rows *rows, uint32_t node)
{
  size_t first = rows->count;
  size_t last = first; /* of the rows that stay */
  uint32_t i = lists_first(&rows->samples, node);
  for (; i != INDEX_NONE; i = lists_next(&rows->samples, i))
    ARRAY_PUSH(rows->rows, rows->count, rows->capacity,
               row_of(rows, node, i));
  if (first == rows->count)
    return;
  array_sort(rows->rows + first, rows->count - first, sizeof *rows->rows,
             compare_rows);
  for (size_t r = first; r < rows->count; r++) {
    bool same =
        r > first && compare_rows(&rows->rows[last], &rows->rows[r]) == 0;
    if (!same && r > first)
      rows->rows[++last] = rows->rows[r];
    for (int c = 0; same && c <= COLUMN_OF_FREED_BYTES; c++)
      rows->rows[last].counts[c] += rows->rows[r].counts[c];
    if (rows->of_sample != NULL)
      rows->of_sample[rows->rows[r].sample] = (uint32_t)last;
  }
  rows->count = last + 1;
}

bool
chains_fit(const struct chains *chains, bool names, struct sink *sink)
{
  enum { NUMBER_BYTES = 8 };
  const struct call_tree *tree = chains->tree;
  uint64_t left = tree->selection->profile->text_limit;
  uint64_t *bytes = pool_zeroed(tree->tree.count, sizeof *bytes);
  if (left < INPUT_DATA_BYTES)
    left = INPUT_DATA_BYTES;
  for (size_t i = 1; i < chains->count; i++) {
    const uint32_t node = chains->walk[i];
    bytes[node] = bytes[tree->tree.nodes[node].parent] + NUMBER_BYTES +
                  (names ? strlen(call_tree_leaf(tree, node)->name) : 0);
    if (!chain_counts_any(chains, node))
      continue;
    if (bytes[node] > left) {
      sink_fail(sink, EFBIG);
      break;
    }
    left -= bytes[node];
  }
  pool_free(bytes);
  return sink->error_number == 0;
}
