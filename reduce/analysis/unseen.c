/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "analysis/unseen.h"

#include "base/array.h"

#include <string.h>

/* SET with FUNCTION; INDEX_NONE when memory runs out. */
static uint32_t
with_function(struct tree *sets, uint32_t set, uint32_t function)
{
  for (uint32_t s = set; s != TREE_ROOT; s = sets->nodes[s].parent)
    if (sets->nodes[s].item == function)
      return set;
  return tree_child(sets, set, function);
}

/* The set of NODE, of the profile, whose COUNT frames at SHOWN show. */
static uint32_t
find_set(struct unseen *unseen, const struct selection *selection,
         uint32_t node, const uint32_t *shown, size_t count)
{
  const struct tree_node *n = &selection->profile->tree.nodes[node];
  const struct frame_table *frames = selection->frames;
  bool begins = selection_begins(selection, node);
  uint32_t set = begins ? (uint32_t)TREE_ROOT : unseen->of_node[n->parent];
  size_t next = 0; /* of those that show */
  for (uint32_t i = frames->first_frames[n->item + 1];
       i-- > frames->first_frames[n->item] && set != INDEX_NONE;) {
    uint32_t f = frames->frames[i].function;
    if (begins) /* what is further out than the body is no part of it */
      begins = !selection->functions[f].root;
    else if (next < count && shown[next] == i)
      next++;
    else
      set = with_function(&unseen->sets, set, f);
  }
  return set;
}

bool
unseen_init(struct unseen *unseen, const struct selection *selection)
{
  const struct profile *profile = selection->profile;
  uint32_t *shown =
      array_zeroed(selection->frames->most_frames, sizeof *shown);
  *unseen = (struct unseen){
      .of_node = array_zeroed(profile->tree.count, sizeof *unseen->of_node)};
  bool good =
      tree_init(&unseen->sets) && unseen->of_node != NULL && shown != NULL;
  for (uint32_t i = TREE_ROOT + 1; good && i < profile->tree.count; i++) {
    size_t count = selection_shown(selection, i, shown, NULL);
    unseen->of_node[i] = find_set(unseen, selection, i, shown, count);
    good = unseen->of_node[i] != INDEX_NONE;
  }
  free(shown);
  return good;
}

void
unseen_release(struct unseen *unseen)
{
  tree_release(&unseen->sets);
  free(unseen->of_node);
  memset(unseen, 0, sizeof *unseen);
}
