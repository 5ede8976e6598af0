/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The tree that the analysis makes, with the chains that were only called
 * behind the others, is brought into order: what is below each node is summed
 * from the last to the first, and children are sorted.
 */

#include "tables/chain_tree.h"

#include "base/array.h"
#include "base/input_file.h"

#include <errno.h>
#include <string.h>

/* Counts the sample I: false when it is not in TREE; else *NODE is where. */
static bool
count_sample(const struct chain_tree *tree, size_t i, uint32_t *node,
             struct sample_count *count)
{
  *node = tree->calls.of_sample[i];
  if (*node == INDEX_NONE)
    return false;
  selection_count(&tree->reduction->selection, i, count);
  return true;
}

/* ---- order ---- */

/* A node among its siblings. */
struct sibling {
  uint32_t node, parent;
  uint32_t size;          /* how many nodes are in and below it */
  uint64_t bytes, allocs; /* in and below it, too */
  const char *name;
};

/* By parent; then by bytes and allocations in and below the node,
 * descending, then by name and by first appearance. */
static int
compare_siblings(const void *left, const void *right)
{
  const struct sibling *a = left;
  const struct sibling *b = right;
  if (a->parent != b->parent)
    return a->parent < b->parent ? -1 : 1;
  if (a->bytes != b->bytes)
    return a->bytes > b->bytes ? -1 : 1;
  if (a->allocs != b->allocs)
    return a->allocs > b->allocs ? -1 : 1;
  int order = strcmp(a->name, b->name);
  if (order != 0)
    return order;
  return a->node < b->node ? -1 : a->node > b->node;
}

/* Fills SIBLINGS, which are zero, by the numbers of their nodes, and sorts
 * all but the root. */
static void
sort_siblings(const struct chain_tree *tree, struct sibling *siblings)
{
  struct sample_count count;
  uint32_t at;
  for (size_t i = 0; i < tree->reduction->profile->sample_count; i++)
    if (count_sample(tree, i, &at, &count)) {
      siblings[at].bytes += count.counts[MEASURE_BYTES];
      siblings[at].allocs += count.counts[MEASURE_ALLOCS];
    }
  for (size_t i = tree->count; i-- > 1;) {
    const struct tree_node *node = &tree->calls.tree.nodes[i];
    struct sibling *sibling = &siblings[i];
    struct sibling *parent = &siblings[node->parent];
    sibling->node = (uint32_t)i;
    sibling->parent = node->parent;
    sibling->name = chain_item_name(tree, node->item);
    sibling->size++;
    parent->size += sibling->size;
    parent->bytes += sibling->bytes;
    parent->allocs += sibling->allocs;
  }
  array_sort(siblings + 1, tree->count - 1, sizeof *siblings,
             compare_siblings);
}

/* Gives the nodes their numbers, by those in calls.tree, and makes them: each
 * follows its parent, or the sibling before it with all that is below that.
 * Siblings whose parent has a smaller number come first, so that it has its
 * new one by then. */
static void
number_nodes(struct chain_tree *tree, const struct sibling *siblings,
             uint32_t *numbers)
{
  const struct tree_node *from = tree->calls.tree.nodes;
  uint32_t last = TREE_ROOT; /* the parent in hand, ... */
  uint32_t next = 1;         /* ... and the number of its next child */
  tree->nodes[TREE_ROOT] =
      (struct chain_node){.item = INDEX_NONE,
                          .below_allocs = siblings[TREE_ROOT].allocs,
                          .below_bytes = siblings[TREE_ROOT].bytes};
  for (size_t i = 1; i < tree->count; i++) {
    const struct sibling *s = &siblings[i];
    if (s->parent != last)
      next = numbers[last = s->parent] + 1;
    numbers[s->node] = next;
    tree->nodes[next] = (struct chain_node){.parent = numbers[s->parent],
                                            .item = from[s->node].item,
                                            .below_allocs = s->allocs,
                                            .below_bytes = s->bytes};
    next += s->size;
  }
}

/* Lets the COUNT nodes at NODES have their new NUMBERS. */
static void
renumber(uint32_t *nodes, size_t count, const uint32_t *numbers)
{
  for (size_t i = 0; i < count; i++)
    if (nodes[i] != INDEX_NONE)
      nodes[i] = numbers[nodes[i]];
}

static void
order_nodes(struct chain_tree *tree)
{
  struct sibling *siblings = pool_zeroed(tree->count, sizeof *siblings);
  uint32_t *numbers = pool_zeroed(tree->count, sizeof *numbers);
  tree->nodes = pool_zeroed(tree->count, sizeof *tree->nodes);
  sort_siblings(tree, siblings);
  number_nodes(tree, siblings, numbers);
  pool_free(siblings);
  renumber(tree->calls.of_sample, tree->reduction->profile->sample_count,
           numbers);
  renumber(tree->calls.call_nodes, tree->calls.call_count, numbers);
  pool_free(numbers);
}

/* ---- the whole ---- */

/* Adds what the samples count to their nodes. */
static void
add_samples(struct chain_tree *tree)
{
  const struct reduction *reduction = tree->reduction;
  struct sample_count count;
  uint32_t node;
  for (size_t i = 0; i < reduction->profile->sample_count; i++)
    if (count_sample(tree, i, &node, &count))
      for (int m = 0; m < MEASURE_COUNT; m++)
        tree->nodes[node].counts[m] += count.counts[m];
  for (size_t i = 0; i < tree->calls.call_count; i++) {
    profile_count(reduction->profile, tree->calls.call_samples[i], &count);
    tree->nodes[tree->calls.call_nodes[i]].calls += count.calls;
  }
  for (size_t i = 1; i < tree->count && tree->calls.kind != ITEMS_ARE_FRAMES;
       i++)
    if (reduction->graph.nodes[tree->nodes[i].item].calls == CALLS_UNKNOWN)
      tree->nodes[i].calls = CALLS_UNKNOWN;
}

void
chain_tree_init(struct chain_tree *tree, const struct reduction *reduction,
                enum call_items kind)
{
  *tree = (struct chain_tree){.reduction = reduction};
  call_tree_init(&tree->calls, &reduction->selection, kind,
                 reduction->tree.merges_runs);
  call_tree_place_calls(&tree->calls, &reduction->tree);
  tree->count = tree->calls.tree.count;
  order_nodes(tree);
  add_samples(tree);
}

bool
chain_tree_fits(const struct chain_tree *tree, bool names, struct sink *sink)
{
  enum { NUMBER_BYTES = 8 };
  uint64_t left = tree->reduction->profile->text_limit;
  uint64_t *bytes = pool_zeroed(tree->count, sizeof *bytes);
  bool fits = true;
  if (left < input_limits_default.data_bytes)
    left = input_limits_default.data_bytes;
  for (size_t i = 1; fits && i < tree->count; i++) {
    const struct chain_node *node = &tree->nodes[i];
    bytes[i] = bytes[node->parent] + NUMBER_BYTES +
               (names ? strlen(chain_item_name(tree, node->item)) : 0);
    if (!chain_node_allocates(node) && node->calls == 0)
      continue;
    fits = bytes[i] <= left;
    left -= fits ? bytes[i] : 0;
  }
  if (!fits)
    sink_fail(sink, EFBIG);
  pool_free(bytes);
  return fits;
}

/* ---- what is at a node ---- */

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

/* The row of the sample I alone, or the call I, at NODE. */
static struct sample_row
row_of(const struct sample_rows *rows, uint32_t node, uint32_t i)
{
  if (rows->of == ROWS_OF_CALLS)
    i = rows->tree->calls.call_samples[i];
  const struct reduction *reduction = rows->tree->reduction;
  const struct profile *profile = reduction->profile;
  const struct profile_labels *labels =
      &profile->labels[profile->samples[i].labels];
  struct sample_count count;
  selection_count(&reduction->selection, i, &count);
  struct sample_row row = {
      .node = node,
      .keys = {[ROW_THREAD] = labels->thread,
               [ROW_REGION] = labels->region,
               [ROW_PHASE] = selection_phase(&reduction->selection, i)}};
  if (rows->unseen != NULL)
    row.keys[ROW_UNSEEN] = rows->unseen[profile->samples[i].node];
  if (rows->of == ROWS_OF_CALLS) {
    row.counts[COLUMN_OF_CALLS] = count.calls;
    return row;
  }
  row.sample = i;
  row.keys[ROW_TYPE] = count.type;
  if (rows->of == ROWS_OF_SIZES) {
    row.keys[ROW_SIZE_KIND] = count.size_kind;
    row.keys[ROW_OBJECT_BYTES] =
        count.size_kind == SIZE_LARGE ? 0 : count.object_bytes;
  }
  memcpy(row.counts, count.counts, sizeof count.counts);
  return row;
}

void
sample_rows_init(struct sample_rows *rows, const struct chain_tree *tree,
                 enum rows_of of)
{
  *rows = (struct sample_rows){.tree = tree, .of = of};
  if (of == ROWS_OF_CALLS)
    lists_init(&rows->samples, tree->count, tree->calls.call_nodes,
               tree->calls.call_count);
  else
    lists_init(&rows->samples, tree->count, tree->calls.of_sample,
               tree->reduction->profile->sample_count);
}

/* Adds the survival of the sample in the row FROM to that of the row TO,
 * which may have none yet. */
static void
add_survival(struct sample_rows *rows, size_t to, size_t from)
{
  if (rows->survival == NULL)
    return;
  if (to == from)
    rows->survival[to] = (struct survival_figures){{0}};
  profile_add_survival(rows->tree->reduction->profile,
                       rows->rows[from].sample, &rows->survival[to]);
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
  if (rows->of == ROWS_OF_SIZES &&
      profile_has(rows->tree->reduction->profile, COLUMN_OF_SURVIVAL))
    ARRAY_ROOM(rows->survival, rows->survival_capacity, rows->count);
  array_sort(rows->rows + first, rows->count - first, sizeof *rows->rows,
             compare_rows);
  add_survival(rows, first, first);
  for (size_t r = first + 1; r < rows->count; r++) {
    bool same = compare_rows(&rows->rows[last], &rows->rows[r]) == 0;
    if (!same)
      rows->rows[++last] = rows->rows[r];
    for (int c = 0; same && c <= COLUMN_OF_CALLS; c++)
      rows->rows[last].counts[c] += rows->rows[r].counts[c];
    add_survival(rows, last, same ? r : last);
  }
  rows->count = last + 1;
}
