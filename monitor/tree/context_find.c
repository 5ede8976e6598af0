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

static uint32_t
kind_hash(const struct kind *k)
{
  return (uint32_t)mix(k->clas + ((uint64_t)k->what << 40) +
                       ((uint64_t)k->size << 8));
}

static uint32_t
context_hash(uint32_t parent, uint64_t site)
{
  return (uint32_t)mix(site * 31 + ((uint64_t)parent << 20));
}

static uint32_t
leaf_hash(uint32_t up, uint64_t site, uint32_t kind)
{
  return (uint32_t)mix(site * 31 + ((uint64_t)up << 20) +
                       ((uint64_t)kind << 8));
}

struct leaf *
context_tree_overflow(struct context_tree *tree)
{
  tree->overflowed++;
  return &tree->leaves[LEAF_OVERFLOW];
}

/* Is there room for another context below `parent'? */
static bool
has_room_for_context(struct context_tree *tree, uint32_t parent,
                     uint32_t hash)
{
  return (tree->context_count < tree->room || context_tree_make_room(tree)) &&
         (tree->contexts[parent].first == 0 ||
          record_index_reach(&tree->context_index, hash));
}

static uint32_t find_child(struct context_tree *tree, uint32_t parent,
                           uint64_t site, uint32_t function, bool known);

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
    if (target == CONTEXT_OVERFLOW || !has_room_for_context(tree, parent, hash)) {
      context_tree_overflow(tree);
      return CONTEXT_OVERFLOW;
    }
    number = tree->context_count;
  } else {
    target = number = tree->context_count;
  }
  tree->contexts[number] =
      (struct context){.site = site,
                       .parent = parent,
                       .target = target,
                       .function = function,
                       .shown = (function & FUNCTION_HIDDEN) != 0
                                    ? tree->contexts[parent].shown
                                    : function & FUNCTION_NUMBER,
                       .state = (unsigned)state & 7,
                       .new_arc = new_arc,
                       .kept = kept};
  if (tree->contexts[parent].first == 0)
    tree->contexts[parent].first = number;
  else
    record_index_add(&tree->context_index, hash, number);
  __atomic_store_n(&tree->context_count, number + 1, __ATOMIC_RELEASE);
  return number;
}

/* `function' is only told if it is `known'. */
static inline uint32_t
find_child(struct context_tree *tree, uint32_t parent, uint64_t site,
           uint32_t function, bool known)
{
  const uint32_t hash = context_hash(parent, site);
  const uint32_t first = tree->contexts[parent].first;
  const struct index_slot *s = NULL;
  if (first != 0 && tree->contexts[first].site == site)
    return first;
  if (first != 0)
    s = record_index_begin(&tree->context_index, hash);
  for (; s != NULL && s->number != 0; s = record_index_next(s)) {
    const struct context *c = &tree->contexts[s->number];
    if (s->hash == hash && c->parent == parent && c->site == site)
      return s->number;
  }
  if (parent == CONTEXT_OVERFLOW)
    return CONTEXT_OVERFLOW;
  if (!has_room_for_context(tree, parent, hash)) {
    context_tree_overflow(tree);
    return CONTEXT_OVERFLOW;
  }
  return make_child(
      tree, parent, site,
      known ? function : context_tree_function(tree, parent, site), hash);
}

uint32_t
context_tree_child(struct context_tree *tree, uint32_t parent, uint64_t site)
{
  return find_child(tree, parent, site, 0, false);
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

/* There are no more kinds than leaves, but for one whose leaf comes next. */
static __attribute__((noinline)) uint32_t
make_kind(struct context_tree *tree, const struct kind *kind, uint32_t hash)
{
  const int saved_errno = errno;
  uint32_t number = KIND_ANY;
  if ((tree->kind_count < tree->room || context_tree_make_room(tree)) &&
      record_index_reach(&tree->kind_index, hash)) {
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
  const uint32_t hash = kind_hash(kind);
  for (const struct index_slot *s =
           record_index_begin(&tree->kind_index, hash);
       s->number != 0; s = record_index_next(s)) {
    const struct kind *k = &tree->kinds[s->number];
    if (s->hash == hash && k->what == kind->what && k->size == kind->size &&
        k->clas == kind->clas)
      return s->number;
  }
  return make_kind(tree, kind, hash);
}

/* `function' is only told if it is `known'. */
static inline struct leaf *
find_leaf(struct context_tree *tree, uint32_t up, uint64_t site,
          uint32_t function, bool known, uint32_t kind)
{
  const uint32_t hash = leaf_hash(up, site, kind);
  const uint32_t first = tree->contexts[up].first_leaf;
  const struct index_slot *s = NULL;
  uint32_t number, target = up;
  struct leaf *l = &tree->leaves[first];

  if (first != 0 && l->site == site && l->kind == kind)
    return l;
  if (first != 0)
    s = record_index_begin(&tree->leaf_index, hash);
  for (; s != NULL && s->number != 0; s = record_index_next(s)) {
    l = &tree->leaves[s->number];
    if (s->hash == hash && l->up == up && l->site == site && l->kind == kind)
      return l;
  }
  if (kind == KIND_ANY ||
      (tree->leaf_count > tree->room && !context_tree_make_room(tree)) ||
      (first != 0 && !record_index_reach(&tree->leaf_index, hash)))
    return context_tree_overflow(tree);
  if (up != CONTEXT_OVERFLOW) {
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

struct leaf *
context_tree_find_leaf(struct context_tree *tree, uint32_t up, uint64_t site,
                       uint32_t function, uint32_t kind)
{
  const int saved_errno = errno;
  struct leaf *leaf;
  if (up == CONTEXT_OVERFLOW)
    leaf = find_leaf(tree, up, SITE_SPECIAL | SITE_OVERFLOW, 0, true, kind);
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
  if (up == CONTEXT_OVERFLOW)
    site = SITE_SPECIAL | SITE_OVERFLOW;
  return find_leaf(tree, up, site, 0, false, kind);
}

/* There was room for each. */
static void
index_again(struct record_index *index, uint32_t hash, uint32_t number)
{
  if (record_index_reach(index, hash))
    record_index_add(index, hash, number);
}

void
context_tree_reindex(struct context_tree *tree)
{
  record_index_clear(&tree->context_index);
  for (uint32_t i = CONTEXT_FIRST; i < tree->context_count; i++) {
    const struct context *c = &tree->contexts[i];
    if (tree->contexts[c->parent].first != i)
      index_again(&tree->context_index,
                  context_hash(c->parent, c->site), i);
  }
  record_index_clear(&tree->leaf_index);
  for (uint32_t i = LEAF_FIRST; i < tree->leaf_count; i++) {
    const struct leaf *l = &tree->leaves[i];
    if (tree->contexts[l->up].first_leaf != i)
      index_again(&tree->leaf_index,
                  leaf_hash(l->up, l->site, l->kind), i);
  }
}
