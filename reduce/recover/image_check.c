/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Checks the trees of an image that may have been written to meanwhile.  What
 * is right of such a tree is all that a counter leads to.  Records are
 * published before anything refers to them, and counters are raised after
 * that; so what nothing leads to may be half a record, or none. */

#include "recover/image_reader.h"

#include "base/pool.h"

/* Returns by context whether it and all above are complete; parents first. */
static bool *
check_contexts(const struct context_tree *tree)
{
  struct context *contexts = tree->contexts;
  bool *good = pool_zeroed(tree->context_count, sizeof *good);
  contexts[CONTEXT_ROOT].parent = contexts[CONTEXT_OVERFLOW].parent =
      CONTEXT_ROOT;
  contexts[CONTEXT_OVERFLOW].site = SITE_OVER;
  good[CONTEXT_ROOT] = good[CONTEXT_OVERFLOW] = true;
  for (uint32_t i = CONTEXT_FIRST; i < tree->context_count; i++) {
    good[i] = contexts[i].site != 0 && contexts[i].parent < i &&
              good[contexts[i].parent];
    if (!good[i])
      contexts[i] = (struct context){0}; /* nothing leads to it */
  }
  return good;
}

/* Checks LEAF.  What refers to a record that found no room in the file goes
 * with what is over the budget, and so does a leaf that counts nothing. */
static void
check_leaf(const struct image *image, const struct context_tree *tree,
           const bool *good, struct leaf *leaf)
{
  if (leaf->up < tree->context_count && good[leaf->up] &&
      leaf->target < tree->context_count && good[leaf->target] &&
      leaf->kind < tree->kind_count)
    return;
  if (image_leaf_counts(leaf) && (image->head.flags & IMAGE_INCOMPLETE) == 0)
    image_fault(image, MPROF_NO_OFFSET, "a count belongs to no context");
  leaf->up = leaf->target = CONTEXT_OVERFLOW;
  leaf->kind = KIND_ANY;
}

void
image_check_trees(const struct image *image)
{
  for (size_t i = 0; i < image->tree_count; i++) {
    const struct context_tree *tree = &image->trees[i].tree;
    bool *good = check_contexts(tree);
    for (uint32_t n = LEAF_OVERFLOW; n < tree->leaf_count; n++)
      check_leaf(image, tree, good, &tree->leaves[n]);
    pool_free(good);
  }
}
