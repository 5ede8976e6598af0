/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The node of a chain is found from that of the longest part of it that was
 * met before, so that each node of the profile is looked at once.
 */

#include "analysis/call_tree.h"

#include "base/array.h"

/* Where a chain of the profile is in the tree. */
struct position {
  uint32_t node;
  bool gap; /* a function behind that, its caller, is no item */
};

/* A tree under construction. */
struct growing {
  struct call_tree *tree;
  const struct selection *selection;
  const struct call_tree *functions; /* of the same chains; NULL: this one */
  uint32_t *of_node; /* by node of the profile, the position of its chain;
                        INDEX_NONE: it is not known yet */
  bool *gaps;        /* likewise; few are set */
  struct index_map pair_numbers;
  bool all_items; /* functions and pairs that are new are added */
  uint32_t *path; /* of the chain in hand */
  size_t path_capacity;
  uint32_t *shown, *called; /* frames of the node in hand */
};

/* ---- items ---- */

/* Returns the number of ITEM; adds it if it is new.  Names are interned, so
 * each is known by where it stands. */
static uint32_t
add_item(struct call_tree *tree, struct call_item item)
{
  bool place = tree->by_frames;
  uint64_t key[] = {(uintptr_t)item.name, place ? item.function : 0,
                    (uint64_t)item.line,  item.address,
                    item.inlined,         item.file};
  uint32_t index = row_table_add(&tree->keys, key, sizeof key / sizeof *key);
  if (index == tree->item_count)
    ARRAY_PUSH(tree->items, tree->item_count, tree->item_capacity, item);
  return index;
}

/* Returns the item of the frame F, which shows; adds it if that is asked for.
 */
static uint32_t
item_of(const struct growing *growing, uint32_t f)
{
  struct call_tree *tree = growing->tree;
  const struct frame_table *frames = growing->selection->frames;
  const struct frame *frame = &frames->frames[f];
  bool place = tree->by_frames;
  const uint32_t name = frames->functions[frame->shown].name;
  uint32_t *item = &tree->item_of[place ? f : name];
  if (place && growing->functions->item_of[name] == INDEX_NONE)
    return INDEX_NONE;
  if (*item == INDEX_NONE && growing->all_items)
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

/* Returns the node below PARENT for ITEM; adds it, and its pair, if it is
 * new. */
static uint32_t
add_node(struct growing *growing, uint32_t parent, uint32_t item)
{
  struct call_tree *tree = growing->tree;
  const size_t count = tree->tree.count;
  const uint32_t node = tree_child(&tree->tree, parent, item);
  if (node < count || tree->by_frames)
    return node;
  ARRAY_ROOM(tree->pair_of, tree->pair_of_capacity, tree->tree.count);
  tree->pair_of[node] = INDEX_NONE;
  if (parent == TREE_ROOT)
    return node;
  const uint32_t caller = tree->tree.nodes[parent].item;
  const uint32_t pair =
      index_map_number(&growing->pair_numbers, index_pair(caller, item));
  if (pair == tree->pair_count)
    ARRAY_PUSH(tree->pairs, tree->pair_count, tree->pair_capacity,
               (struct call_pair){caller, item});
  tree->pair_of[node] = pair;
  return node;
}

/* Moves AT to the frame F, which it calls.  Returns whether that is a call
 * that counts. */
static bool
follow(struct growing *growing, struct position *at, uint32_t f)
{
  const struct call_tree *tree = growing->tree;
  if (tree->merges_runs && at->node != TREE_ROOT &&
      call_tree_leaf(tree, at->node)->function ==
          growing->selection->frames->frames[f].shown)
    return false; /* a step from a group into itself */
  const uint32_t item = item_of(growing, f);
  if (item == INDEX_NONE) {
    at->gap = true;
    return false;
  }
  const bool gap = at->gap;
  *at = (struct position){add_node(growing, at->node, item), false};
  if (gap || growing->all_items)
    return !gap;
  const uint32_t pair = tree->pair_of[at->node];
  return pair == INDEX_NONE || pair < tree->allocating_pairs;
}

static void
note_position(struct growing *growing, uint32_t node, struct position at)
{
  growing->of_node[node] = at.node;
  if (at.gap) /* else it is not touched, and takes no memory */
    growing->gaps[node] = true;
}

/* Returns where the chain of NODE, of the profile, is; at TREE_ROOT if no
 * frame shows. */
static struct position
find_chain(struct growing *growing, uint32_t node)
{
  const struct tree_node *nodes = growing->selection->profile->tree.nodes;
  size_t length = 0;
  bool begun = false;
  for (; !begun && growing->of_node[node] == INDEX_NONE;
       node = nodes[node].parent) {
    ARRAY_PUSH(growing->path, length, growing->path_capacity, node);
    begun = selection_begins(growing->selection, node);
  }
  struct position at = {TREE_ROOT, false};
  if (!begun)
    at = (struct position){growing->of_node[node], growing->gaps[node]};
  while (length > 0) {
    node = growing->path[--length];
    size_t count =
        selection_shown(growing->selection, node, growing->shown, NULL);
    for (size_t i = 0; i < count; i++)
      follow(growing, &at, growing->shown[i]);
    note_position(growing, node, at);
  }
  return at;
}

/* Returns what stands for the whole chain of sample I, of which no function
 * shows, or which is of a group. */
static struct call_item
nameless_item(const struct selection *selection, size_t i)
{
  const struct profile *profile = selection->profile;
  const struct profile_sample *sample = &profile->samples[i];
  const uint32_t *groups = selection->frames->region_groups;
  return (struct call_item){
      .name =
          groups == NULL
              ? nameless_name(selection_nameless(selection, sample->node))
              : names_text(&selection->frames->names,
                           groups[profile->labels[sample->labels].region]),
      .function = INDEX_NONE};
}

static void
add_samples(struct growing *growing)
{
  struct call_tree *tree = growing->tree;
  const struct selection *selection = growing->selection;
  const struct profile *profile = selection->profile;
  for (size_t i = 0; i < profile->sample_count; i++) {
    uint32_t node = TREE_ROOT;
    if (!selection_keeps(selection, i))
      continue;
    if (selection->frames->region_groups == NULL)
      node = find_chain(growing, profile->samples[i].node).node;
    if (node == TREE_ROOT)
      node = add_node(growing, TREE_ROOT,
                      add_item(tree, nameless_item(selection, i)));
    tree->of_sample[i] = node;
  }
  tree->allocating = tree->tree.count;
  tree->allocating_pairs = tree->pair_count;
}

/* ---- calls ---- */

/* Adds the chain of SAMPLE, and the calls in its last node, at which each
 * frame that shows was called, or inlined: in a tree by frames those that
 * count by functions, COUNT at PLACES. */
static void
add_calls(struct growing *growing, uint32_t sample,
          const struct call_place *places, size_t place_count)
{
  struct call_tree *tree = growing->tree;
  const struct selection *selection = growing->selection;
  const struct call_tree *functions = growing->functions;
  const struct frame_table *frames = selection->frames;
  const uint32_t end = selection->profile->samples[sample].node;
  size_t count;
  if (end == TREE_ROOT ||
      (count = selection_shown(selection, end, growing->called, NULL)) == 0)
    return;
  struct position at = {TREE_ROOT, false};
  if (!selection_begins(selection, end))
    at = find_chain(growing, selection->profile->tree.nodes[end].parent);
  for (size_t i = 0; i < count; i++) {
    bool counts = follow(growing, &at, growing->called[i]);
    if (places != NULL) { /* the call of the frame may be the next of these */
      const uint32_t shown = frames->frames[growing->called[i]].shown;
      counts = place_count > 0 &&
               functions->tree.nodes[places->node].item ==
                   functions->item_of[frames->functions[shown].name];
      places += counts;
      place_count -= counts;
    }
    if (counts)
      ARRAY_PUSH(tree->calls, tree->call_count, tree->call_capacity,
                 (struct call_place){at.node, sample});
  }
  note_position(growing, end, at);
}

/* ---- the whole ---- */

/* Returns an array of COUNT numbers, all INDEX_NONE. */
static uint32_t *
fill_none(size_t count)
{
  size_t bytes = count * sizeof(uint32_t);
  return memset(pool_alloc(bytes), 0xff, bytes);
}

/* Makes the tree of the chains that allocated. */
static void
begin(struct growing *growing, struct call_tree *tree,
      const struct selection *selection, const struct call_tree *functions,
      bool merges_runs)
{
  const bool by_frames = functions != NULL;
  const struct profile *profile = selection->profile;
  const struct frame_table *frames = selection->frames;
  *tree = (struct call_tree){
      .selection = selection,
      .by_frames = by_frames,
      .merges_runs = merges_runs,
      .item_of =
          fill_none(by_frames ? frames->frame_count : frames->names.count),
      .of_sample = fill_none(profile->sample_count)};
  *growing = (struct growing){
      .tree = tree,
      .selection = selection,
      .functions = functions,
      .of_node = fill_none(profile->tree.count),
      .gaps = pool_zeroed(profile->tree.count, sizeof *growing->gaps),
      .all_items = true,
      .shown = pool_zeroed(frames->most_frames, sizeof *growing->shown),
      .called = pool_zeroed(frames->most_frames, sizeof *growing->called)};
  growing->of_node[TREE_ROOT] = TREE_ROOT;
  tree_init(&tree->tree);
  add_samples(growing);
}

void
call_tree_init(struct call_tree *tree, const struct selection *selection,
               bool merges_runs)
{
  struct growing growing;
  begin(&growing, tree, selection, NULL, merges_runs);
  growing.all_items = !selection->by_allocations;
  for (uint32_t i = 0; i < selection->profile->sample_count; i++)
    if (selection_keeps_calls(selection, i))
      add_calls(&growing, i, NULL, 0);
  pool_free(growing.of_node);
  pool_free(growing.gaps);
}

void
call_tree_by_frames(struct call_tree *tree, const struct call_tree *functions,
                    bool called)
{
  struct growing growing;
  const struct call_place *const calls = functions->calls;
  begin(&growing, tree, functions->selection, functions,
        functions->merges_runs);
  for (size_t i = 0, end; called && i < functions->call_count; i = end) {
    for (end = i + 1;
         end < functions->call_count && calls[end].sample == calls[i].sample;)
      end++;
    add_calls(&growing, calls[i].sample, calls + i, end - i);
  }
  pool_free(growing.of_node);
  pool_free(growing.gaps);
}
