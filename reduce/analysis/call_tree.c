/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The node of a chain is found from that of the longest part of it that was
 * met before, so that each node of the profile is looked at once.
 */

#include "analysis/call_tree.h"

#include "base/array.h"

/* What becomes of a chain that is not in the tree. */
enum missing_chain {
  MISSING_FOUND_ONLY, /* nothing */
  MISSING_WHOLE,      /* it is added, if all its items are known */
  MISSING_WITHOUT,    /* it is added, without items that are not known */
  MISSING_NEW         /* it is added */
};

/* ---- items ---- */

/* The number of ITEM, added when it is new.  Names are interned, so each is
 * known by where it stands. */
static uint32_t
add_item(struct call_tree *tree, struct call_item item)
{
  bool place = tree->kind == ITEMS_ARE_FRAMES;
  uint64_t key[] = {(uintptr_t)item.name, place ? item.function : 0,
                    (uint64_t)item.line,  item.address,
                    item.inlined,         item.file};
  uint32_t index = row_table_add(&tree->keys, key, sizeof key / sizeof *key);
  if (index == tree->item_count)
    ARRAY_PUSH(tree->items, tree->item_count, tree->item_capacity, item);
  return index;
}

uint32_t
call_tree_item(struct call_tree *tree, uint32_t f, bool make)
{
  const struct frame_table *frames = tree->selection->frames;
  const struct frame *frame = &frames->frames[f];
  bool place = tree->kind == ITEMS_ARE_FRAMES;
  uint32_t *item =
      &tree->item_of[place ? f : frames->functions[frame->shown].name];
  if (*item == INDEX_NONE && make)
    *item = add_item(
        tree, (struct call_item){.name = function_name(frames, frame->shown),
                                 .function = frame->shown,
                                 .line = place ? frame->line : 0,
                                 .file = place ? frame->file : 0,
                                 .address = place ? frame->address : 0,
                                 .inlined = place && frame->inlined});
  return *item;
}

/* ---- chains ---- */

/* Whether the frame F is one in a row with that of the node PARENT. */
static bool
is_in_run(const struct call_tree *tree, uint32_t parent, uint32_t f)
{
  return tree->merges_runs && parent != TREE_ROOT &&
         call_tree_leaf(tree, parent)->function ==
             tree->selection->frames->frames[f].shown;
}

/* Returns the node below PARENT for the frame F, or INDEX_NONE; MISSING says
 * that none is added. */
static uint32_t
follow_frame(struct call_tree *tree, uint32_t parent, uint32_t f,
             enum missing_chain missing)
{
  if (is_in_run(tree, parent, f))
    return parent;
  uint32_t item = call_tree_item(tree, f, missing == MISSING_NEW);
  if (item == INDEX_NONE)
    return missing == MISSING_WITHOUT ? parent : INDEX_NONE;
  return missing == MISSING_FOUND_ONLY
             ? tree_find(&tree->tree, parent, item)
             : tree_child(&tree->tree, parent, item);
}

/* The node of the chain of NODE, of the profile: TREE_ROOT when no frame
 * shows; INDEX_NONE: see follow_frame. */
static uint32_t
node_of(struct call_tree *tree, uint32_t node, enum missing_chain missing)
{
  const struct tree_node *nodes = tree->selection->profile->tree.nodes;
  size_t length = 0;
  bool begun = false;
  for (; !begun && tree->of_node[node] == INDEX_NONE;
       node = nodes[node].parent) {
    ARRAY_PUSH(tree->path, length, tree->path_capacity, node);
    begun = selection_begins(tree->selection, node);
  }
  uint32_t at = begun ? (uint32_t)TREE_ROOT : tree->of_node[node];
  while (length > 0 && at != INDEX_NONE) {
    node = tree->path[--length];
    size_t count = selection_shown(tree->selection, node, tree->shown, NULL);
    for (size_t i = 0; i < count && at != INDEX_NONE; i++)
      at = follow_frame(tree, at, tree->shown[i], missing);
    tree->of_node[node] = at;
  }
  return at;
}

uint32_t
call_tree_caller(const struct call_tree *tree, uint32_t node)
{
  const struct selection *selection = tree->selection;
  const struct tree_node *nodes = selection->profile->tree.nodes;
  size_t count = 0;
  while (count == 0 && !selection_begins(selection, node) &&
         nodes[node].parent != TREE_ROOT) {
    node = nodes[node].parent;
    count = selection_shown(selection, node, tree->shown, NULL);
  }
  return count == 0 ? INDEX_NONE : tree->shown[count - 1];
}

/* What stands for the whole chain of sample I, of which no function shows, or
 * which is of a group. */
static struct call_item
nameless_item(const struct selection *selection, size_t i)
{
  const struct profile *profile = selection->profile;
  const struct profile_sample *sample = &profile->samples[i];
  const uint32_t *groups = selection->region_groups;
  return (struct call_item){
      .name =
          groups == NULL
              ? nameless_name(selection_nameless(selection, sample->node))
              : names_text(&selection->frames->names,
                           groups[profile->labels[sample->labels].region]),
      .function = INDEX_NONE};
}

/* ---- the whole ---- */

/* COUNT numbers, all INDEX_NONE. */
static uint32_t *
fill_none(size_t count)
{
  size_t bytes = count * sizeof(uint32_t);
  return memset(pool_alloc(bytes), 0xff, bytes);
}

static void
add_samples(struct call_tree *tree)
{
  const struct selection *selection = tree->selection;
  const struct profile *profile = selection->profile;
  tree_init(&tree->tree);
  tree->of_node = fill_none(profile->tree.count);
  tree->of_node[TREE_ROOT] = TREE_ROOT;
  tree->of_sample = fill_none(profile->sample_count);
  tree->shown =
      pool_zeroed(selection->frames->most_frames, sizeof *tree->shown);
  for (size_t i = 0; i < profile->sample_count; i++) {
    uint32_t node = TREE_ROOT;
    if (!selection_keeps(selection, i))
      continue;
    if (selection->region_groups == NULL)
      node = node_of(tree, profile->samples[i].node, MISSING_NEW);
    if (node == TREE_ROOT)
      node = tree_child(&tree->tree, TREE_ROOT,
                        add_item(tree, nameless_item(selection, i)));
    tree->of_sample[i] = node;
  }
}

void
call_tree_init(struct call_tree *tree, const struct selection *selection,
               enum call_items kind, bool merges_runs)
{
  const struct frame_table *frames = selection->frames;
  *tree = (struct call_tree){.selection = selection,
                             .kind = kind,
                             .merges_runs = merges_runs,
                             .item_of = fill_none(kind == ITEMS_ARE_FRAMES
                                                      ? frames->frame_count
                                                      : frames->names.count)};
  add_samples(tree);
}

/* ---- calls ---- */

/* Finds the nodes of the calls of SAMPLE, at whose end each frame that shows
 * was called, or inlined. */
static void
place_calls(struct call_tree *tree, uint32_t sample,
            enum missing_chain missing)
{
  const struct selection *selection = tree->selection;
  const struct profile *profile = selection->profile;
  uint32_t end = profile->samples[sample].node;
  uint32_t node = node_of(tree, end, missing);
  if (node == INDEX_NONE || node == TREE_ROOT)
    return;
  uint32_t caller = selection_begins(selection, end)
                        ? (uint32_t)TREE_ROOT
                        : tree->of_node[profile->tree.nodes[end].parent];
  bool called = node != caller;
  do {
    ARRAY_PUSH(tree->calls, tree->call_count, tree->call_capacity,
               (struct call_place){node, sample});
    node = tree->tree.nodes[node].parent;
  } while (called && node != caller);
}

static void
place_all_calls(struct call_tree *tree)
{
  const struct selection *selection = tree->selection;
  enum missing_chain missing =
      tree->kind == ITEMS_ARE_FRAMES   ? MISSING_NEW
      : tree->kind == ITEMS_ARE_CALLED ? MISSING_WITHOUT
      : selection->by_allocations      ? MISSING_FOUND_ONLY
                                       : MISSING_WHOLE;
  for (uint32_t i = 0; i < selection->profile->sample_count; i++)
    if (selection_keeps_calls(selection, i))
      place_calls(tree, i, missing);
}

/* ---- sums and order ---- */

/* Whether the calls of ITEM are counted. */
static bool
calls_are_known(const struct call_tree *tree, const struct call_item *item)
{
  return tree->selection->counts_calls &&
         (tree->kind == ITEMS_ARE_FRAMES || item->function == INDEX_NONE ||
          tree->selection->frames->functions[item->function].calls_known);
}

static void
count_all(struct call_tree *tree)
{
  const struct selection *selection = tree->selection;
  struct chain_counts *counts = pool_zeroed(tree->tree.count, sizeof *counts);
  struct sample_count count;
  tree->counts = counts;
  for (size_t i = 0; i < selection->profile->sample_count; i++) {
    if (tree->of_sample[i] == INDEX_NONE)
      continue;
    selection_count(selection, i, &count);
    for (int m = 0; m < MEASURE_COUNT; m++)
      counts[tree->of_sample[i]].counts[m] += count.counts[m];
  }
  for (size_t i = 0; i < tree->call_count; i++) {
    profile_count(selection->profile, tree->calls[i].sample, &count);
    counts[tree->calls[i].node].calls += count.calls;
  }
  for (size_t i = tree->tree.count; i-- > TREE_ROOT + 1;) {
    struct chain_counts *outer = &counts[tree->tree.nodes[i].parent];
    counts[i].bytes_below += counts[i].counts[MEASURE_BYTES];
    counts[i].allocs_below += counts[i].counts[MEASURE_ALLOCS];
    outer->bytes_below += counts[i].bytes_below;
    outer->allocs_below += counts[i].allocs_below;
    if (!calls_are_known(tree, call_tree_leaf(tree, i)))
      counts[i].calls = CALLS_UNKNOWN;
  }
}

/* By bytes and allocations in and below the node, descending, then by name
 * and by first appearance. */
static int
compare_siblings(const void *left, const void *right, void *context)
{
  const struct call_tree *tree = context;
  uint32_t i = *(const uint32_t *)left;
  uint32_t j = *(const uint32_t *)right;
  const struct chain_counts *a = &tree->counts[i];
  const struct chain_counts *b = &tree->counts[j];
  if (a->bytes_below != b->bytes_below)
    return a->bytes_below > b->bytes_below ? -1 : 1;
  if (a->allocs_below != b->allocs_below)
    return a->allocs_below > b->allocs_below ? -1 : 1;
  int order =
      strcmp(call_tree_leaf(tree, i)->name, call_tree_leaf(tree, j)->name);
  return order != 0 ? order : i < j ? -1 : i > j;
}

void
call_tree_of_chains(struct call_tree *tree, const struct call_tree *graph,
                    enum call_items kind)
{
  if (kind == ITEMS_ARE_FRAMES) {
    call_tree_init(tree, graph->selection, kind, graph->merges_runs);
  } else { /* what it leads to is known; there will be no more items */
    *tree = *graph;
    tree->kind = kind;
    tree->path = NULL;
    tree->path_capacity = 0;
    add_samples(tree);
  }
  place_all_calls(tree);
  pool_free(tree->of_node);
  count_all(tree);
  tree->walk = tree_walk(&tree->tree, compare_siblings, tree);
  tree->places = pool_zeroed(tree->tree.count, sizeof *tree->places);
  for (size_t i = 0; i < tree->tree.count; i++)
    tree->places[tree->walk[i]] = (uint32_t)i;
}
