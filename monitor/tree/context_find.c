/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * context_find.c -- the context and the leaf of a call, found or made: what
 * the hook does with a tree.  A search looks at the first child of a context,
 * and then at the index.
 */
#include "tree/context_tree.h"

#include <errno.h>

#include "tree/context_fold.h"

static uint64_t
mix(uint64_t h)
{
  h ^= h >> 32;
  h *= 0x9E3779B97F4A7C15ULL;
  return h ^ (h >> 29);
}

static uint64_t
kind_key(const struct kind *k)
{
  return k->clas + ((uint64_t)k->what << 40) + ((uint64_t)k->size << 8);
}

static uint32_t
context_hash(uint32_t parent, uint64_t key)
{
  return (uint32_t)mix(key * 31 + ((uint64_t)parent << 20));
}

static uint32_t
leaf_hash(uint32_t up, uint64_t key, uint32_t kind)
{
  return (uint32_t)mix(key * 31 + ((uint64_t)up << 20) +
                       ((uint64_t)kind << 8));
}

static uint64_t
hash_of_context(const void *closure, uint32_t number)
{
  const struct context_tree *tree = closure;
  const struct context *c = &tree->contexts[number];
  if (tree->contexts[c->parent].first == number)
    return RECORD_NOT_INDEXED;
  return context_hash(c->parent,
                      context_tree_call_key(tree, c->site, c->function));
}

static uint64_t
hash_of_leaf(const void *closure, uint32_t number)
{
  const struct context_tree *tree = closure;
  const struct leaf *l = &tree->leaves[number];
  if (tree->contexts[l->up].first_leaf == number)
    return RECORD_NOT_INDEXED;
  return leaf_hash(l->up, context_tree_call_key(tree, l->site, l->function),
                   l->kind);
}

static uint64_t
hash_of_kind(const void *closure, uint32_t number)
{
  const struct context_tree *tree = closure;
  return (uint32_t)mix(kind_key(&tree->kinds[number]));
}

/* Is there memory for another context below `parent'? */
static bool
has_memory_for_context(struct context_tree *tree, uint32_t parent)
{
  return (tree->context_count < tree->room || context_tree_make_room(tree)) &&
         (tree->contexts[parent].first == 0 ||
          record_index_grow(&tree->context_index, hash_of_context, tree,
                            CONTEXT_FIRST, tree->context_count));
}

/* And within the budget? */
static bool
has_room_for_context(struct context_tree *tree, uint32_t parent)
{
  return tree->context_count < tree->budget &&
         has_memory_for_context(tree, parent);
}

static uint32_t find_child(struct context_tree *tree, uint32_t parent,
                           uint64_t site, uint32_t function, bool known);

/* The child of `parent' for what is over the budget. */
static uint32_t
over_child(struct context_tree *tree, uint32_t parent)
{
  tree->overflowed++;
  return find_child(tree, parent, SITE_OVER, 0, true);
}

/* Add a context, for which there is memory. */
static uint32_t
add_context(struct context_tree *tree, const struct context *context,
            uint32_t hash)
{
  const uint32_t number = tree->context_count;
  uint32_t *const first = &tree->contexts[context->parent].first;
  tree->contexts[number] = *context;
  if (*first == 0)
    *first = number;
  else
    record_index_add(&tree->context_index, hash, number);
  __atomic_store_n(&tree->context_count, number + 1, __ATOMIC_RELEASE);
  return number;
}

/* The same when it is new.  CONTEXT_OVERFLOW, though that is the root's, when
 * there is no memory. */
static __attribute__((noinline)) uint32_t
make_over_child(struct context_tree *tree, uint32_t parent, uint32_t hash)
{
  if (parent == CONTEXT_ROOT || !has_memory_for_context(tree, parent))
    return CONTEXT_OVERFLOW;
  return add_context(tree,
                     &(struct context){.site = SITE_OVER,
                                       .parent = parent,
                                       .target = tree->context_count,
                                       .shown = tree->contexts[parent].shown},
                     hash);
}

/* The context when it is new. */
static __attribute__((noinline)) uint32_t
make_child(struct context_tree *tree, uint32_t parent, uint64_t site,
           uint32_t function, uint32_t hash)
{
  const enum phase_state state =
      context_fold_state(tree->contexts, parent, function);
  const bool kept =
      tree->contexts[parent].kept || tree->contexts[parent].target != parent;
  uint32_t number, target = CONTEXT_OVERFLOW;
  bool new_arc = false;

  if (tree->fold && !kept)
    target = context_fold_parent(tree->contexts, parent, site, function,
                                 state, tree->fold_places, &new_arc);
  if (target != CONTEXT_OVERFLOW) {
    target = find_child(tree, target, site, function, true);
    if (context_tree_is_over(tree, target) ||
        !has_room_for_context(tree, parent))
      return over_child(tree, parent);
    number = tree->context_count;
  } else {
    target = number = tree->context_count;
  }
  return add_context(
      tree,
      &(struct context){.site = site,
                        .parent = parent,
                        .target = target,
                        .function = function,
                        .shown = (function & FUNCTION_HIDDEN) != 0
                                     ? tree->contexts[parent].shown
                                     : function & FUNCTION_NUMBER,
                        .state = (unsigned)state & 7,
                        .new_arc = new_arc,
                        .kept = kept},
      hash);
}

/* `function' is only told if it is `known'. */
static inline uint32_t
find_child(struct context_tree *tree, uint32_t parent, uint64_t site,
           uint32_t function, bool known)
{
  const struct record_index *index = &tree->context_index;
  const uint64_t key = context_tree_call_key(tree, site, function);
  const uint32_t hash = context_hash(parent, key);
  const uint32_t first = tree->contexts[parent].first;
  uint32_t slot;
  if (first != 0 &&
      context_tree_call_key(tree, tree->contexts[first].site,
                            tree->contexts[first].function) == key)
    return first;
  for (uint32_t i = hash & index->mask;
       first != 0 && (slot = index->slots[i]) != 0;
       i = (i + 1) & index->mask) {
    const uint32_t number = record_index_number(index, slot);
    const struct context *c = &tree->contexts[number];
    if (record_index_may_be(index, slot, hash) && c->parent == parent &&
        context_tree_call_key(tree, c->site, c->function) == key)
      return number;
  }
  if (context_tree_is_over(tree, parent))
    return parent;
  if (site == SITE_OVER)
    return make_over_child(tree, parent, hash);
  if (!has_room_for_context(tree, parent))
    return over_child(tree, parent);
  return make_child(
      tree, parent, site,
      known ? function : context_tree_function(tree, parent, site), hash);
}

uint32_t
context_tree_child(struct context_tree *tree, uint32_t parent, uint64_t site)
{
  return tree->by_function
             ? find_child(tree, parent, site,
                          context_tree_function(tree, parent, site), true)
             : find_child(tree, parent, site, 0, false);
}

uint32_t
context_tree_find_child(struct context_tree *tree, uint32_t parent,
                        uint64_t site, uint32_t function)
{
  const int saved_errno = errno;
  const uint32_t child = find_child(tree, parent, site, function, true);
  errno = saved_errno;
  return child;
}

static __attribute__((noinline)) uint32_t
make_kind(struct context_tree *tree, const struct kind *kind, uint32_t hash)
{
  const int saved_errno = errno;
  uint32_t number = KIND_ANY;
  if ((tree->kind_count < tree->room || context_tree_make_room(tree)) &&
      record_index_grow(&tree->kind_index, hash_of_kind, tree, 1,
                        tree->kind_count)) {
    number = tree->kind_count++;
    tree->kinds[number] = *kind;
    record_index_add(&tree->kind_index, hash, number);
  }
  errno = saved_errno;
  return number;
}

uint32_t
context_tree_kind_number(struct context_tree *tree, const struct kind *kind)
{
  const struct record_index *index = &tree->kind_index;
  const uint32_t hash = (uint32_t)mix(kind_key(kind));
  uint32_t slot;
  for (uint32_t i = hash & index->mask; (slot = index->slots[i]) != 0;
       i = (i + 1) & index->mask) {
    const uint32_t number = record_index_number(index, slot);
    const struct kind *k = &tree->kinds[number];
    if (record_index_may_be(index, slot, hash) && k->what == kind->what &&
        k->size == kind->size && k->clas == kind->clas)
      return number;
  }
  return make_kind(tree, kind, hash);
}

/* Whether it is the leaf with that key of calls, and of objects of the kind.
 */
static inline bool
leaf_is(const struct context_tree *tree, const struct leaf *l, uint64_t key,
        uint32_t kind)
{
  return l->kind == kind &&
         context_tree_call_key(tree, l->site, l->function) == key;
}

/* Is there memory for another leaf below `up'? */
static bool
has_room_for_leaf(struct context_tree *tree, uint32_t up)
{
  uint32_t most = tree->budget;
  if (context_tree_is_over(tree, up))
    most = up == CONTEXT_OVERFLOW ? tree->most : tree->most - CONTEXT_SPARE;
  return tree->leaf_count <= most &&
         (tree->leaf_count <= tree->room || context_tree_make_room(tree)) &&
         (tree->contexts[up].first_leaf == 0 ||
          record_index_grow(&tree->leaf_index, hash_of_leaf, tree, LEAF_FIRST,
                            tree->leaf_count));
}

static struct leaf *over_leaf(struct context_tree *tree, uint32_t up,
                              uint32_t kind);

/* `function' is only told if it is `known'. */
static inline struct leaf *
find_leaf(struct context_tree *tree, uint32_t up, uint64_t site,
          uint32_t function, bool known, uint32_t kind)
{
  const struct record_index *index = &tree->leaf_index;
  const uint64_t key = context_tree_call_key(tree, site, function);
  const uint32_t hash = leaf_hash(up, key, kind);
  const uint32_t first = tree->contexts[up].first_leaf;
  uint32_t slot, number, target = up;
  struct leaf *l = &tree->leaves[first];

  if (first != 0 && leaf_is(tree, l, key, kind))
    return l;
  for (uint32_t i = hash & index->mask;
       first != 0 && (slot = index->slots[i]) != 0;
       i = (i + 1) & index->mask) {
    if (!record_index_may_be(index, slot, hash))
      continue;
    l = &tree->leaves[record_index_number(index, slot)];
    if (l->up == up && leaf_is(tree, l, key, kind))
      return l;
  }
  if (kind == KIND_ANY || !has_room_for_leaf(tree, up))
    return over_leaf(tree, up, kind);
  if (!context_tree_is_over(tree, up)) {
    if (!known)
      function = context_tree_function(tree, up, site);
    if (tree->fold)
      target = context_fold_caller(tree->contexts, up, site, function,
                                   tree->fold_places);
  }
  number = tree->leaf_count;
  l = &tree->leaves[number];
  *l = (struct leaf){.site = site,
                     .up = up,
                     .target = target,
                     .kind = kind,
                     .function = function};
  if (first == 0)
    tree->contexts[up].first_leaf = number;
  else
    record_index_add(&tree->leaf_index, hash, number);
  __atomic_store_n(&tree->leaf_count, number + 1, __ATOMIC_RELEASE);
  return l;
}

/* The leaf of what finds no room below `up'. */
static __attribute__((noinline)) struct leaf *
over_leaf(struct context_tree *tree, uint32_t up, uint32_t kind)
{
  tree->overflowed++;
  if (kind == KIND_ANY || up == CONTEXT_OVERFLOW)
    return &tree->leaves[LEAF_OVERFLOW];
  up = context_tree_is_over(tree, up)
           ? (uint32_t)CONTEXT_OVERFLOW
           : find_child(tree, up, SITE_OVER, 0, true);
  return find_leaf(tree, up, SITE_OVER, 0, true, kind);
}

struct leaf *
context_tree_find_leaf(struct context_tree *tree, uint32_t up, uint64_t site,
                       uint32_t function, uint32_t kind)
{
  const int saved_errno = errno;
  struct leaf *leaf;
  if (context_tree_is_over(tree, up))
    leaf = find_leaf(tree, up, SITE_OVER, 0, true, kind);
  else
    leaf = find_leaf(tree, up, site, function, true, kind);
  errno = saved_errno;
  return leaf;
}

struct leaf *
context_tree_leaf(struct context_tree *tree, uint32_t up, uint64_t site,
                  uint32_t what, uint32_t size, uint64_t clas)
{
  const uint32_t kind = context_tree_kind_number(
      tree, &(struct kind){.clas = clas, .what = what, .size = size});
  if (context_tree_is_over(tree, up))
    return find_leaf(tree, up, SITE_OVER, 0, true, kind);
  if (tree->by_function)
    return find_leaf(tree, up, site, context_tree_function(tree, up, site),
                     true, kind);
  return find_leaf(tree, up, site, 0, false, kind);
}

void
context_tree_reindex(struct context_tree *tree)
{
  record_index_refill(&tree->context_index, hash_of_context, tree,
                      CONTEXT_FIRST, tree->context_count);
  record_index_refill(&tree->leaf_index, hash_of_leaf, tree, LEAF_FIRST,
                      tree->leaf_count);
}
