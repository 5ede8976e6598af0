/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * context_tree.c -- the life of a tree.  Three arrays of records (contexts,
 * leaves, kinds), each with an index of its own (record_index.h).  The arrays
 * stand where they can grow up to tree->most, each by a quarter of its length
 * or, where there is not so much memory, by a step: in an image pages that
 * are not used yet cost time and room.
 *
 * Not done here: finding and making records (context_find.c), folding
 * (context_fold.c), and any sum.
 */
#include "tree/context_tree.h"

#include <errno.h>

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
  *overflow = (struct context){.site = SITE_OVER, .target = CONTEXT_OVERFLOW};
  tree->leaves[LEAF_OVERFLOW] = (struct leaf){.site = SITE_OVER,
                                              .up = CONTEXT_OVERFLOW,
                                              .target = CONTEXT_OVERFLOW,
                                              .kind = KIND_ANY};
  tree->context_count = CONTEXT_FIRST;
  tree->leaf_count = LEAF_FIRST; /* number 0 means an empty index slot */
  tree->kinds[KIND_ANY] = (struct kind){.what = LEAF_PIECES};
  tree->kind_count = 1;
  tree->overflowed = 0;
}

static const uint32_t record_sizes[] = {[TREE_CONTEXTS] =
                                            sizeof(struct context),
                                        [TREE_LEAVES] = sizeof(struct leaf),
                                        [TREE_KINDS] = sizeof(struct kind)};

/* Returns the bytes of an array for `room' records; of leaves for one more,
 * which is LEAF_OVERFLOW. */
static size_t
bytes_for(enum tree_array array, uint32_t room)
{
  return ((size_t)room + (array == TREE_LEAVES)) * record_sizes[array];
}

/* Returns how many records an array has now; of leaves without LEAF_OVERFLOW.
 */
static uint32_t
count(const struct context_tree *tree, enum tree_array array)
{
  const uint32_t counts[] = {[TREE_CONTEXTS] = tree->context_count,
                             [TREE_LEAVES] = tree->leaf_count - 1,
                             [TREE_KINDS] = tree->kind_count};
  return counts[array];
}

/* Returns the bytes of all records that an array has now. */
static size_t
bytes_used(const struct context_tree *tree, enum tree_array array)
{
  return bytes_for(array, count(tree, array));
}

static bool
reach(struct context_tree *tree, enum tree_array array, uint32_t room)
{
  if (arena_reach(&tree->arenas[array], bytes_for(array, room)) != 0 ||
      (array == TREE_LEAVES && tree->make_room != NULL &&
       !tree->make_room(room + 1)))
    return false;
  tree->room[array] = room;
  return true;
}

bool
context_tree_make_room(struct context_tree *tree, enum tree_array array)
{
  const uint32_t room = tree->room[array], left = tree->most - room;
  const uint32_t step = left < SIZE_FIRST_ROOM ? left : SIZE_FIRST_ROOM;
  const uint32_t more = left < room / 4 ? left : room / 4;
  return left != 0 && ((more > step && reach(tree, array, room + more)) ||
                       reach(tree, array, room + step));
}

void
context_tree_reserve(struct context_tree *tree, uint32_t more)
{
  for (enum tree_array i = 0; i < TREE_ARRAYS; i++) {
    const uint32_t used = count(tree, i);
    const uint32_t room = more < tree->most - used ? used + more : tree->most;
    if (room > tree->room[i])
      reach(tree, i, room);
    record_index_reach(&tree->indices[i], more);
  }
}

int
context_tree_init(struct context_tree *tree, uint32_t budget, bool fold,
                  context_tree_function_fn *function_of,
                  context_tree_room_fn *make_room)
{
  bool good = true;
  budget = budget < 16 ? 16 : budget;
  *tree = (struct context_tree){.budget = budget,
                                .most = 2 * (budget + CONTEXT_SPARE),
                                .fold = fold,
                                .function_of = function_of,
                                .make_room = make_room};
  for (enum tree_array i = 0; good && i < TREE_ARRAYS; i++) {
    tree->arenas[i].most = bytes_for(i, tree->most);
    good = record_index_reach(&tree->indices[i], 1) &&
           reach(tree, i, SIZE_FIRST_ROOM);
  }
  if (!good) {
    int saved = errno;
    context_tree_release(tree);
    errno = saved;
    return -1;
  }
  tree->contexts = tree->arenas[TREE_CONTEXTS].base;
  tree->leaves = tree->arenas[TREE_LEAVES].base;
  tree->kinds = tree->arenas[TREE_KINDS].base;
  add_special(tree);
  return 0;
}

void
context_tree_map(struct context_tree *tree)
{
  static const enum image_kind kinds[] = {[TREE_CONTEXTS] = IMAGE_CONTEXTS,
                                          [TREE_LEAVES] = IMAGE_LEAVES,
                                          [TREE_KINDS] = IMAGE_KINDS};
  const uint32_t owner = tree->owner = image_owner();
  for (enum tree_array i = 0; i < TREE_ARRAYS; i++)
    image_map(&tree->arenas[i], bytes_used(tree, i), kinds[i], owner,
              record_sizes[i]);
}

void
context_tree_release(struct context_tree *tree)
{
  for (int i = 0; i < TREE_ARRAYS; i++) {
    arena_release(&tree->arenas[i]);
    arena_release(&tree->indices[i].arena);
  }
  *tree = (struct context_tree){0};
}

void
context_tree_clear(struct context_tree *tree)
{
  if (tree->contexts == NULL)
    return;
  for (int i = 0; i < TREE_ARRAYS; i++) {
    arena_clear(&tree->arenas[i]);
    record_index_clear(&tree->indices[i]);
  }
  add_special(tree);
}

void
context_tree_shorten(struct context_tree *tree)
{
  for (enum tree_array i = 0; i < TREE_ARRAYS; i++) {
    tree->room[i] = SIZE_FIRST_ROOM;
    arena_shorten(&tree->arenas[i], bytes_for(i, SIZE_FIRST_ROOM));
  }
}

uint64_t
context_tree_bytes(const struct context_tree *tree)
{
  uint64_t bytes = 0;
  for (enum tree_array i = 0; tree->contexts != NULL && i < TREE_ARRAYS; i++)
    bytes += bytes_used(tree, i) + record_index_bytes(&tree->indices[i]);
  return bytes;
}
