/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Sorts the chains of a tree, and adds up what is in and below each. */

#include "analysis/call_tree.h"

#include "base/array.h"

static void
count_all(const struct call_tree *tree, struct chain_counts *counts)
{
  const struct selection *selection = tree->selection;
  struct sample_count count;
  for (size_t i = 0; i < selection->profile->sample_count; i++) {
    if (tree->of_sample[i] == INDEX_NONE)
      continue;
    selection_count(selection, i, &count);
    for (int m = 0; m < MEASURE_COUNT; m++)
      counts[tree->of_sample[i]].counts[m] += count.counts[m];
  }
  for (size_t i = 0; i < tree->call_count; i++)
    counts[tree->calls[i].node].calls += profile_value(
        selection->profile, tree->calls[i].sample, COLUMN_OF_CALLS);
  for (size_t i = tree->tree.count; i-- > TREE_ROOT + 1;) {
    struct chain_counts *outer = &counts[tree->tree.nodes[i].parent];
    counts[i].bytes_below += counts[i].counts[MEASURE_BYTES];
    counts[i].allocs_below += counts[i].counts[MEASURE_ALLOCS];
    outer->bytes_below += counts[i].bytes_below;
    outer->allocs_below += counts[i].allocs_below;
    const uint32_t f = call_tree_leaf(tree, i)->function;
    if (!selection->counts_calls ||
        (!tree->by_frames && f != INDEX_NONE &&
         !selection->frames->functions[f].calls_known))
      counts[i].calls = CALLS_UNKNOWN;
  }
}

/* Orders nodes by bytes and allocations in and below them, descending, then
 * by name and by first appearance. */
static int
compare_siblings(const void *left, const void *right, void *context)
{
  const struct chains *chains = context;
  uint32_t i = *(const uint32_t *)left;
  uint32_t j = *(const uint32_t *)right;
  const struct chain_counts *a = &chains->counts[i];
  const struct chain_counts *b = &chains->counts[j];
  return array_order(b->bytes_below, a->bytes_below)
             ?: array_order(b->allocs_below, a->allocs_below)
             ?: strcmp(call_tree_leaf(chains->tree, i)->name,
                       call_tree_leaf(chains->tree, j)->name)
             ?: array_order(i, j);
}

/* Returns which nodes show: those that allocated and, with CALLED, those that
 * a call counts at; and what leads to them. */
static bool *
find_shown(const struct call_tree *tree, bool called)
{
  bool *shown = pool_zeroed(tree->tree.count, sizeof *shown);
  memset(shown, true, tree->allocating);
  for (size_t i = 0; called && i < tree->call_count; i++)
    shown[tree->calls[i].node] = true;
  for (size_t i = tree->tree.count; i-- > tree->allocating;)
    if (shown[i])
      shown[tree->tree.nodes[i].parent] = true;
  return shown;
}

void
chains_init(struct chains *chains, const struct call_tree *tree, bool called)
{
  const size_t count = tree->tree.count;
  *chains = (struct chains){
      .tree = tree, .counts = pool_zeroed(count, sizeof *chains->counts)};
  bool *shown = find_shown(tree, called || !tree->selection->by_allocations);
  count_all(tree, chains->counts);
  chains->walk = tree_walk(&tree->tree, compare_siblings, chains);
  chains->places = pool_zeroed(count, sizeof *chains->places);
  for (size_t i = 0; i < count; i++)
    if (shown[chains->walk[i]]) {
      chains->places[chains->walk[i]] = (uint32_t)chains->count;
      chains->walk[chains->count++] = chains->walk[i];
    }
  pool_free(shown);
}
