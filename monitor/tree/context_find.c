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
                       ((uint64_t)k->region << 24) +
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

/* Makes room in memory for another context below `parent'.  Returns false if
 * the kernel grants none. */
static bool
has_memory_for_context(struct context_tree *tree, uint32_t parent)
{
  return (tree->context_count < tree->room[TREE_CONTEXTS] ||
          context_tree_make_room(tree, TREE_CONTEXTS)) &&
         (tree->contexts[parent].first == 0 ||
          record_index_reach(&tree->indices[TREE_CONTEXTS], 1));
}

/* Makes room likewise, within the budget; returns false also beyond that. */
static bool
has_room_for_context(struct context_tree *tree, uint32_t parent)
{
  return tree->context_count < tree->budget &&
         has_memory_for_context(tree, parent);
}

static uint32_t find_child(struct context_tree *tree, uint32_t parent,
                           uint64_t site);

/* Returns the child of `parent' for paths over the budget, and counts the
 * call in `overflowed'; makes that child if it is new. */
static uint32_t
over_child(struct context_tree *tree, uint32_t parent)
{
  tree->overflowed++;
  return find_child(tree, parent, SITE_OVER);
}

/* Counts a record that is complete, before it can be found: a jump that
 * leaves this in between wastes it, and its number is no other's. */
static inline void
publish(uint32_t *count, uint32_t with)
{
  __atomic_store_n(count, with, __ATOMIC_RELEASE);
  __atomic_signal_fence(__ATOMIC_SEQ_CST);
}

/* Adds a context, for which there is memory.  Returns its number. */
static uint32_t
add_context(struct context_tree *tree, const struct context *context)
{
  const uint32_t number = tree->context_count;
  uint32_t *const first = &tree->contexts[context->parent].first;
  tree->contexts[number] = *context;
  publish(&tree->context_count, number + 1);
  if (*first == 0)
    *first = number;
  else
    record_index_add(&tree->indices[TREE_CONTEXTS],
                     context_hash(context->parent, context->site), number);
  return number;
}

/* Makes the child of `parent' for paths over the budget.  Returns it, or
 * CONTEXT_OVERFLOW, the root's, without memory for it. */
static __attribute__((noinline)) uint32_t
make_over_child(struct context_tree *tree, uint32_t parent)
{
  if (parent == CONTEXT_ROOT || !has_memory_for_context(tree, parent))
    return CONTEXT_OVERFLOW;
  return add_context(tree,
                     &(struct context){.site = SITE_OVER,
                                       .parent = parent,
                                       .target = tree->context_count,
                                       .marks = tree->contexts[parent].marks &
                                                CONTEXT_SHOWN});
}

/* Makes the child of `parent' at `site', folded where it can be.  Returns it,
 * or the child for paths over the budget if there is no room for a folded
 * call or its target. */
static __attribute__((noinline)) uint32_t
make_child(struct context_tree *tree, uint32_t parent, uint64_t site)
{
  const uint32_t function = context_tree_function(tree, parent, site);
  const enum phase_state state =
      context_fold_state(tree->contexts, parent, function);
  const struct context *const caller = &tree->contexts[parent];
  const bool kept =
      (caller->marks & CONTEXT_KEPT) != 0 || caller->target != parent;
  uint32_t marks = (function & FUNCTION_HIDDEN) != 0
                       ? caller->marks & CONTEXT_SHOWN
                       : function & FUNCTION_NUMBER;
  uint32_t number, target = CONTEXT_OVERFLOW;
  bool new_arc = false;

  if (tree->fold && !kept)
    target = context_fold_parent(tree->contexts, parent, site, function,
                                 state, tree->fold_places, &new_arc);
  if (target != CONTEXT_OVERFLOW) {
    target = find_child(tree, target, site);
    if (context_tree_is_over(tree, target) ||
        !has_room_for_context(tree, parent))
      return over_child(tree, parent);
    number = tree->context_count;
  } else {
    target = number = tree->context_count;
  }
  marks |= ((uint32_t)state & 7) << CONTEXT_STATE_SHIFT;
  marks |= (new_arc ? CONTEXT_NEW_ARC : 0) | (kept ? CONTEXT_KEPT : 0);
  return add_context(tree, &(struct context){.site = site,
                                             .parent = parent,
                                             .target = target,
                                             .function = function,
                                             .marks = marks});
}

static inline uint32_t
find_child(struct context_tree *tree, uint32_t parent, uint64_t site)
{
  const uint32_t hash = context_hash(parent, site);
  const uint32_t first = tree->contexts[parent].first;
  struct index_slot *s = NULL;
  if (first != 0 && tree->contexts[first].site == site)
    return first;
  if (first != 0)
    s = record_index_begin(&tree->indices[TREE_CONTEXTS], hash);
  for (; s != NULL && s->number != 0;
       s = record_index_next(&tree->indices[TREE_CONTEXTS], s)) {
    const struct context *c = &tree->contexts[s->number];
    if (s->hash == hash && c->parent == parent && c->site == site)
      return s->number;
  }
  if (context_tree_is_over(tree, parent))
    return parent;
  if (site == SITE_OVER)
    return make_over_child(tree, parent);
  return has_room_for_context(tree, parent) ? make_child(tree, parent, site)
                                            : over_child(tree, parent);
}

uint32_t
context_tree_child(struct context_tree *tree, uint32_t parent, uint64_t site)
{
  const int saved_errno = errno;
  const uint32_t child = find_child(tree, parent, site);
  errno = saved_errno;
  return child;
}

static __attribute__((noinline)) uint32_t
make_kind(struct context_tree *tree, const struct kind *kind, uint32_t hash)
{
  const int saved_errno = errno;
  uint32_t number = KIND_ANY;
  if ((tree->kind_count < tree->room[TREE_KINDS] ||
       context_tree_make_room(tree, TREE_KINDS)) &&
      record_index_reach(&tree->indices[TREE_KINDS], 1)) {
    number = tree->kind_count++;
    tree->kinds[number] = *kind;
    record_index_add(&tree->indices[TREE_KINDS], hash, number);
  }
  errno = saved_errno;
  return number;
}

uint32_t
context_tree_kind_number(struct context_tree *tree, const struct kind *kind)
{
  const uint32_t hash = kind_hash(kind);
  for (struct index_slot *s =
           record_index_begin(&tree->indices[TREE_KINDS], hash);
       s->number != 0; s = record_index_next(&tree->indices[TREE_KINDS], s)) {
    const struct kind *k = &tree->kinds[s->number];
    if (s->hash == hash && k->what == kind->what && k->size == kind->size &&
        k->region == kind->region && k->clas == kind->clas)
      return s->number;
  }
  return make_kind(tree, kind, hash);
}

/* Makes room for another leaf below `up'.  Returns false without memory, or
 * beyond the limit: the budget, or one up to `most' for leaves over it. */
static bool
has_room_for_leaf(struct context_tree *tree, uint32_t up)
{
  uint32_t most = tree->budget;
  if (context_tree_is_over(tree, up))
    most = up == CONTEXT_OVERFLOW ? tree->most : tree->most - CONTEXT_SPARE;
  return tree->leaf_count <= most &&
         (tree->leaf_count <= tree->room[TREE_LEAVES] ||
          context_tree_make_room(tree, TREE_LEAVES)) &&
         (tree->contexts[up].first_leaf == 0 ||
          record_index_reach(&tree->indices[TREE_LEAVES], 1));
}

static struct leaf *over_leaf(struct context_tree *tree, uint32_t up,
                              uint32_t kind);

static inline struct leaf *
find_leaf(struct context_tree *tree, uint32_t up, uint64_t site,
          uint32_t kind)
{
  const uint32_t hash = leaf_hash(up, site, kind);
  const uint32_t first = tree->contexts[up].first_leaf;
  struct index_slot *s = NULL;
  uint32_t number, target = up, function = 0;
  struct leaf *l = &tree->leaves[first];

  if (first != 0 && l->site == site && l->kind == kind)
    return l;
  if (first != 0)
    s = record_index_begin(&tree->indices[TREE_LEAVES], hash);
  for (; s != NULL && s->number != 0;
       s = record_index_next(&tree->indices[TREE_LEAVES], s)) {
    l = &tree->leaves[s->number];
    if (s->hash == hash && l->up == up && l->site == site && l->kind == kind)
      return l;
  }
  if (kind == KIND_ANY || !has_room_for_leaf(tree, up))
    return over_leaf(tree, up, kind);
  if (!context_tree_is_over(tree, up)) {
    function = context_tree_function(tree, up, site);
    if (first != 0 && tree->leaves[first].site == site)
      target = tree->leaves[first].target;
    else if (tree->fold)
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
  publish(&tree->leaf_count, number + 1);
  if (first == 0)
    tree->contexts[up].first_leaf = number;
  else
    record_index_add(&tree->indices[TREE_LEAVES], hash, number);
  return l;
}

/* Returns the leaf over the budget for objects that find no room below `up',
 * LEAF_OVERFLOW as the last resort; counts the call in `overflowed'. */
static __attribute__((noinline)) struct leaf *
over_leaf(struct context_tree *tree, uint32_t up, uint32_t kind)
{
  tree->overflowed++;
  if (kind == KIND_ANY || up == CONTEXT_OVERFLOW)
    return &tree->leaves[LEAF_OVERFLOW];
  up = context_tree_is_over(tree, up) ? (uint32_t)CONTEXT_OVERFLOW
                                      : find_child(tree, up, SITE_OVER);
  return find_leaf(tree, up, SITE_OVER, kind);
}

struct leaf *
context_tree_find_leaf(struct context_tree *tree, uint32_t up, uint64_t site,
                       uint32_t kind)
{
  const int saved_errno = errno;
  struct leaf *const leaf = find_leaf(
      tree, up, context_tree_is_over(tree, up) ? SITE_OVER : site, kind);
  errno = saved_errno;
  return leaf;
}

/* ---- sites that change ---- */

/* Adds a record to an index that was cleared, which has room for it again. */
static void
index_again(struct record_index *index, uint32_t hash, uint32_t number)
{
  if (record_index_reach(index, 1))
    record_index_add(index, hash, number);
}

/* Builds the indices of contexts and leaves anew. */
static void
reindex(struct context_tree *tree)
{
  record_index_clear(&tree->indices[TREE_CONTEXTS]);
  for (uint32_t i = CONTEXT_FIRST; i < tree->context_count; i++) {
    const struct context *c = &tree->contexts[i];
    if (tree->contexts[c->parent].first != i)
      index_again(&tree->indices[TREE_CONTEXTS],
                  context_hash(c->parent, c->site), i);
  }
  record_index_clear(&tree->indices[TREE_LEAVES]);
  for (uint32_t i = LEAF_FIRST; i < tree->leaf_count; i++) {
    const struct leaf *l = &tree->leaves[i];
    if (tree->contexts[l->up].first_leaf != i)
      index_again(&tree->indices[TREE_LEAVES],
                  leaf_hash(l->up, l->site, l->kind), i);
  }
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
    reindex(tree);
}
