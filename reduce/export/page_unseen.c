/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "export/page.h"

/* SET with FUNCTION. */
static uint32_t
with_function(struct tree *sets, uint32_t set, uint32_t function)
{
  for (uint32_t s = set; s != TREE_ROOT; s = sets->nodes[s].parent)
    if (sets->nodes[s].item == function)
      return set;
  return tree_child(sets, set, function);
}

/* Finds the sets of NODE, of the profile, of which COUNT frames, at SHOWN,
 * show. */
static void
find_sets(struct unseen *unseen, const struct selection *selection,
          uint32_t node, const uint32_t *shown, size_t count)
{
  const struct tree_node *n = &selection->profile->tree.nodes[node];
  const struct frame_table *frames = selection->frames;
  const uint32_t first = frames->first_frames[n->item];
  const uint32_t end = frames->first_frames[n->item + 1];
  bool begins = selection_begins(selection, node);
  uint32_t set = begins ? (uint32_t)TREE_ROOT : unseen->of_node[n->parent];
  uint32_t calls = set;
  size_t next = 0; /* of those that show */
  for (uint32_t i = end; i-- > first;) {
    uint32_t f = frames->frames[i].function;
    bool shows = next < count && shown[next] == i;
    if (begins) { /* what is further out than the body is no part of it */
      begins = !selection->functions[f].root;
      continue;
    }
    next += shows;
    if (!shows)
      set = with_function(&unseen->sets, set, f);
    if (end - first > 1)
      calls = with_function(&unseen->sets, calls, f);
  }
  unseen->of_node[node] = set;
  unseen->of_calls[node] = end - first > 1 ? calls : set;
}

void
unseen_init(struct unseen *unseen, const struct selection *selection)
{
  const struct profile *profile = selection->profile;
  uint32_t *shown =
      pool_zeroed(selection->frames->most_frames, sizeof *shown);
  *unseen = (struct unseen){
      .of_node = pool_zeroed(profile->tree.count, sizeof *unseen->of_node),
      .of_calls = pool_zeroed(profile->tree.count, sizeof *unseen->of_calls)};
  tree_init(&unseen->sets);
  for (uint32_t i = TREE_ROOT + 1; i < profile->tree.count; i++) {
    size_t count = selection_shown(selection, i, shown, NULL);
    find_sets(unseen, selection, i, shown, count);
  }
}
