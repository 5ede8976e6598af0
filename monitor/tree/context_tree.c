/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * context_tree.c -- the life of a tree.  Three arrays of records (contexts,
 * leaves, kinds), each with an index of its own (record_index.h).  An array
 * is as long from the start as the budget allows, in address space; the
 * kernel gives the memory as records are made.
 *
 * Not done here: finding and making records (context_find), folding
 * (context_fold), naming (sites), walking (stack_walk), and any sum.
 */
#include "tree/context_tree.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

_Static_assert(sizeof(struct context) == 48, "memory of a path");
_Static_assert(sizeof(struct leaf) == 48, "memory of a path");

static void
add_special(struct context_tree *tree)
{
  struct context *root = &tree->contexts[CONTEXT_ROOT];
  struct context *overflow = &tree->contexts[CONTEXT_OVERFLOW];
  *root = (struct context){0};
  *overflow = (struct context){.site = SITE_SPECIAL | SITE_OVERFLOW,
                               .target = CONTEXT_OVERFLOW};
  tree->context_count = CONTEXT_FIRST;
  tree->leaf_count = 1; /* number 0 means an empty index slot */
  tree->kinds[KIND_ANY] = (struct kind){.what = LEAF_PIECES};
  tree->kind_count = 1;
  tree->overflowed = 0;
}

int
context_tree_init(struct context_tree *tree, uint32_t budget, bool fold,
                  context_tree_function_fn *function_of, void *closure)
{
  memset(tree, 0, sizeof *tree);
  if (budget < 16)
    budget = 16;
  tree->budget = budget;
  tree->fold = fold;
  tree->function_of = function_of;
  tree->closure = closure;
  /* Beyond the budget there is room for the overflow's own leaf. */
  if (arena_reserve(&tree->context_arena,
                    (size_t)budget * sizeof(struct context)) != 0 ||
      arena_reserve(&tree->leaf_arena,
                    ((size_t)budget + 1) * sizeof(struct leaf)) != 0 ||
      arena_reserve(&tree->kind_arena,
                    (size_t)budget * sizeof(struct kind)) != 0 ||
      record_index_init(&tree->context_index, budget) != 0 ||
      record_index_init(&tree->leaf_index, budget) != 0 ||
      record_index_init(&tree->kind_index, budget) != 0) {
    int saved = errno;
    context_tree_release(tree);
    errno = saved;
    return -1;
  }
  tree->contexts = tree->context_arena.base;
  tree->leaves = tree->leaf_arena.base;
  tree->kinds = tree->kind_arena.base;
  add_special(tree);
  return 0;
}

void
context_tree_release(struct context_tree *tree)
{
  arena_release(&tree->context_arena);
  arena_release(&tree->leaf_arena);
  arena_release(&tree->kind_arena);
  record_index_release(&tree->context_index);
  record_index_release(&tree->leaf_index);
  record_index_release(&tree->kind_index);
  tree->contexts = NULL;
  tree->leaves = NULL;
  tree->kinds = NULL;
}

void
context_tree_clear(struct context_tree *tree)
{
  arena_clear(&tree->context_arena);
  arena_clear(&tree->leaf_arena);
  arena_clear(&tree->kind_arena);
  record_index_clear(&tree->context_index);
  record_index_clear(&tree->leaf_index);
  record_index_clear(&tree->kind_index);
  add_special(tree);
}

uint64_t
context_tree_bytes(const struct context_tree *tree)
{
  return tree->context_count * sizeof(struct context) +
         ((uint64_t)tree->leaf_count + 1) * sizeof(struct leaf) +
         tree->kind_count * sizeof(struct kind) +
         record_index_bytes(&tree->context_index) +
         record_index_bytes(&tree->leaf_index) +
         record_index_bytes(&tree->kind_index);
}

static void
add_counts(struct leaf *to, const struct leaf *from)
{
  to->count += from->count;
  to->bytes += from->bytes;
  to->activations += from->activations;
}

bool
context_tree_merge(struct context_tree *into, const struct context_tree *from,
                   context_tree_no_room_fn *no_room, void *closure)
{
  uint32_t n = from->context_count;
  uint32_t *to = calloc(n, sizeof *to);
  if (to == NULL)
    return false;
  to[CONTEXT_ROOT] = CONTEXT_ROOT;
  to[CONTEXT_OVERFLOW] = CONTEXT_OVERFLOW;
  into->contexts[CONTEXT_OVERFLOW].activations +=
      from->contexts[CONTEXT_OVERFLOW].activations;
  /* A folded context's target is known before anything refers to it as a
   * parent, for only targets are parents; parents come first. */
  for (uint32_t i = CONTEXT_FIRST; i < n; i++) {
    const struct context *c = &from->contexts[i];
    const uint32_t number =
        context_tree_find_child(into, to[c->parent], c->site, c->function);
    into->contexts[number].activations += c->activations;
    to[i] = number;
  }
  for (uint32_t i = 1; i < from->leaf_count; i++) {
    const struct leaf *l = &from->leaves[i];
    const struct kind *k = &from->kinds[l->kind];
    struct leaf *leaf =
        context_tree_find_leaf(into, to[l->up], l->site, l->function, k);
    add_counts(leaf, l);
    if (leaf == &into->leaves[into->budget])
      no_room(closure, l, k);
  }
  if (from->overflowed != 0) {
    add_counts(context_tree_overflow(into), &from->leaves[from->budget]);
    into->overflowed += from->overflowed - 1;
  }
  free(to);
  return true;
}

void
context_tree_rename_sites(struct context_tree *tree,
                          uint64_t (*retire)(void *, uint64_t), void *closure)
{
  bool changed = false;
  for (uint32_t i = CONTEXT_FIRST; i < tree->context_count; i++) {
    struct context *c = &tree->contexts[i];
    uint64_t site = retire(closure, c->site);
    changed |= site != c->site;
    c->site = site;
  }
  for (uint32_t i = 1; i < tree->leaf_count; i++) {
    struct leaf *l = &tree->leaves[i];
    uint64_t site = retire(closure, l->site);
    changed |= site != l->site;
    l->site = site;
  }
  if (changed)
    context_tree_reindex(tree);
}
