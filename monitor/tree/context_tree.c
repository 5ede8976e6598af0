/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * context_tree.c -- the life of a tree.  Three arrays of records (contexts,
 * leaves, kinds), each with an index of its own (record_index.h).  The arrays
 * stand where they can grow up to tree->most; they do so together, to twice
 * the length or, where there is not so much memory, by a step.
 *
 * Not done here: finding and making records (context_find.c), folding
 * (context_fold.c), and any sum.
 */
#include "tree/context_tree.h"

#include <errno.h>
#include <string.h>

#include "base/sizes.h"
#include "image/image.h"

_Static_assert(sizeof(struct context) == 40, "memory of a path");
_Static_assert(sizeof(struct leaf) == 48, "memory of a path");

static void
add_special(struct context_tree *tree)
{
  struct context *root = &tree->contexts[CONTEXT_ROOT];
  struct context *overflow = &tree->contexts[CONTEXT_OVERFLOW];
  *root = (struct context){0};
  *overflow = (struct context){.site = SITE_OVER,
                               .target = CONTEXT_OVERFLOW};
  tree->leaves[LEAF_OVERFLOW] =
      (struct leaf){.site = SITE_OVER,
                    .up = CONTEXT_OVERFLOW,
                    .target = CONTEXT_OVERFLOW,
                    .kind = KIND_ANY};
  tree->context_count = CONTEXT_FIRST;
  tree->leaf_count = LEAF_FIRST; /* number 0 means an empty index slot */
  tree->kinds[KIND_ANY] = (struct kind){.what = LEAF_PIECES};
  tree->kind_count = 1;
  tree->overflowed = 0;
}

/* One leaf more is LEAF_OVERFLOW. */
static size_t
leaves_bytes(uint32_t room)
{
  return ((size_t)room + 1) * sizeof(struct leaf);
}

static bool
reach(struct context_tree *tree, uint32_t room)
{
  if (arena_reach(&tree->context_arena, room * sizeof(struct context)) != 0 ||
      arena_reach(&tree->leaf_arena, leaves_bytes(room)) != 0 ||
      arena_reach(&tree->kind_arena, room * sizeof(struct kind)) != 0 ||
      (tree->make_room != NULL && !tree->make_room(room)))
    return false;
  tree->room = room;
  return true;
}

bool
context_tree_make_room(struct context_tree *tree)
{
  const uint32_t left = tree->most - tree->room;
  const uint32_t step = left < SIZE_FIRST_ROOM ? left : SIZE_FIRST_ROOM;
  return left != 0 &&
         (reach(tree, tree->room + (left < tree->room ? left : tree->room)) ||
          reach(tree, tree->room + step));
}

int
context_tree_init(struct context_tree *tree, uint32_t budget, bool fold,
                  context_tree_function_fn *function_of, void *closure,
                  context_tree_room_fn *make_room)
{
  const uint32_t room = SIZE_FIRST_ROOM;
  uint32_t most;
  memset(tree, 0, sizeof *tree);
  tree->budget = budget < 16 ? 16 : budget;
  tree->most = most = context_tree_most(tree->budget);
  tree->room = room;
  tree->fold = fold;
  tree->function_of = function_of;
  tree->closure = closure;
  tree->make_room = make_room;
  if (arena_place(&tree->context_arena, room * sizeof(struct context),
                  most * sizeof(struct context)) != 0 ||
      arena_place(&tree->leaf_arena, leaves_bytes(room),
                  leaves_bytes(most)) != 0 ||
      arena_place(&tree->kind_arena, room * sizeof(struct kind),
                  most * sizeof(struct kind)) != 0 ||
      (make_room != NULL && !make_room(room)) ||
      record_index_init(&tree->context_index) != 0 ||
      record_index_init(&tree->leaf_index) != 0 ||
      record_index_init(&tree->kind_index) != 0) {
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
context_tree_map(struct context_tree *tree)
{
  const uint32_t owner = tree->owner = image_owner();
  image_map(&tree->context_arena,
            tree->context_count * sizeof(struct context), IMAGE_CONTEXTS,
            owner);
  image_map(&tree->leaf_arena, tree->leaf_count * sizeof(struct leaf),
            IMAGE_LEAVES, owner);
  image_map(&tree->kind_arena, tree->kind_count * sizeof(struct kind),
            IMAGE_KINDS, owner);
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
         tree->leaf_count * sizeof(struct leaf) +
         tree->kind_count * sizeof(struct kind) +
         record_index_bytes(&tree->context_index) +
         record_index_bytes(&tree->leaf_index) +
         record_index_bytes(&tree->kind_index);
}

void
context_tree_rename_sites(struct context_tree *tree,
                          uint64_t (*retire)(void *, uint64_t), void *closure)
{
  bool changed = false;
  for (uint32_t i = CONTEXT_FIRST; i < tree->context_count; i++) {
    struct context *c = &tree->contexts[i];
    const uint64_t before = c->site;
    changed |= (c->site = retire(closure, before)) != before;
  }
  for (uint32_t i = LEAF_FIRST; i < tree->leaf_count; i++) {
    struct leaf *l = &tree->leaves[i];
    const uint64_t before = l->site;
    changed |= (l->site = retire(closure, before)) != before;
  }
  if (changed)
    context_tree_reindex(tree);
}
