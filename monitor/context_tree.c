/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * context_tree.c -- two arrays of records, each with an open-addressed index
 * of 32-bit record numbers (linear probing, at most half full, doubled by
 * making a new one).  An index probe touches one cache line of the index and
 * the record itself; record numbers fit 32 bits, so a context costs 32 bytes
 * and at most 16 in the index.
 *
 * Not done here: naming (frame_table), walking (stack_walk), and any sum.
 */
#include "context_tree.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "sizes.h"

static uint64_t
mix(uint64_t h)
{
  h ^= h >> 32;
  h *= 0x9E3779B97F4A7C15ULL;
  return h ^ (h >> 29);
}

static uint32_t
context_hash(uint32_t parent, uint64_t site)
{
  return (uint32_t)mix(site * 31 + ((uint64_t)parent << 20));
}

static uint32_t
leaf_hash(uint32_t up, uint64_t site, uint32_t what, uint32_t size,
          uint64_t clas)
{
  return (uint32_t)mix(site * 31 + ((uint64_t)up << 20) + clas +
                       ((uint64_t)what << 40) + ((uint64_t)size << 8));
}

static int
index_reserve(struct arena *arena, uint32_t **index, uint32_t *mask,
              uint32_t slots)
{
  if (arena_reserve(arena, (size_t)slots * sizeof **index) != 0)
    return -1;
  *index = arena->base;
  *mask = slots - 1;
  return 0;
}

static void
add_special(struct context_tree *tree)
{
  struct context *root = &tree->contexts[CONTEXT_ROOT];
  struct context *overflow = &tree->contexts[CONTEXT_OVERFLOW];
  *root = (struct context){ 0 };
  *overflow = (struct context){ .site = SITE_SPECIAL | SITE_OVERFLOW,
                                .target = CONTEXT_OVERFLOW };
  tree->context_count = CONTEXT_FIRST;
  tree->leaf_count = 1; /* number 0 means an empty index slot */
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
  /* Beyond the budget there is room for the overflow's own leaves: one for
   * each kind of object is enough, and they are few. */
  if (arena_reserve(&tree->context_arena,
                    (size_t)budget * sizeof(struct context)) != 0 ||
      arena_reserve(&tree->leaf_arena,
                    ((size_t)budget + 1) * sizeof(struct leaf)) != 0 ||
      index_reserve(&tree->context_index_arena, &tree->context_index,
                    &tree->context_mask, SIZE_FIRST_INDEX) != 0 ||
      index_reserve(&tree->leaf_index_arena, &tree->leaf_index,
                    &tree->leaf_mask, SIZE_FIRST_INDEX) != 0) {
    int saved = errno;
    context_tree_release(tree);
    errno = saved;
    return -1;
  }
  tree->contexts = tree->context_arena.base;
  tree->leaves = tree->leaf_arena.base;
  add_special(tree);
  return 0;
}

void
context_tree_release(struct context_tree *tree)
{
  arena_release(&tree->context_arena);
  arena_release(&tree->leaf_arena);
  arena_release(&tree->context_index_arena);
  arena_release(&tree->leaf_index_arena);
  tree->contexts = NULL;
  tree->leaves = NULL;
}

void
context_tree_clear(struct context_tree *tree)
{
  arena_clear(&tree->context_arena);
  arena_clear(&tree->leaf_arena);
  arena_clear(&tree->context_index_arena);
  arena_clear(&tree->leaf_index_arena);
  add_special(tree);
}

static void
context_index_add(struct context_tree *tree, uint32_t number)
{
  const struct context *c = &tree->contexts[number];
  uint32_t i = context_hash(c->parent, c->site) & tree->context_mask;
  while (tree->context_index[i] != 0)
    i = (i + 1) & tree->context_mask;
  tree->context_index[i] = number;
}

static void
leaf_index_add(struct context_tree *tree, uint32_t number)
{
  const struct leaf *l = &tree->leaves[number];
  uint32_t i =
      leaf_hash(l->up, l->site, l->what, l->size, l->clas) & tree->leaf_mask;
  while (tree->leaf_index[i] != 0)
    i = (i + 1) & tree->leaf_mask;
  tree->leaf_index[i] = number;
}

/* Make room for one more record in an index that may be at most half full.
 * False: the kernel gave no memory. */
static bool
context_index_grow(struct context_tree *tree)
{
  struct arena old = tree->context_index_arena;
  uint32_t slots = (tree->context_mask + 1) * 2;
  if (tree->context_count * 2 <= tree->context_mask)
    return true;
  if (index_reserve(&tree->context_index_arena, &tree->context_index,
                    &tree->context_mask, slots) != 0) {
    tree->context_index_arena = old;
    return false;
  }
  for (uint32_t i = CONTEXT_FIRST; i < tree->context_count; i++)
    context_index_add(tree, i);
  arena_release(&old);
  return true;
}

static bool
leaf_index_grow(struct context_tree *tree)
{
  struct arena old = tree->leaf_index_arena;
  uint32_t slots = (tree->leaf_mask + 1) * 2;
  if (tree->leaf_count * 2 <= tree->leaf_mask)
    return true;
  if (index_reserve(&tree->leaf_index_arena, &tree->leaf_index,
                    &tree->leaf_mask, slots) != 0) {
    tree->leaf_index_arena = old;
    return false;
  }
  for (uint32_t i = 1; i < tree->leaf_count; i++)
    leaf_index_add(tree, i);
  arena_release(&old);
  return true;
}

/* The state of the phases below `function' when it is called from `parent'.
 * Chains begin below the first root. */
static enum phase_state
state_below(const struct context_tree *tree, uint32_t parent,
            uint32_t function)
{
  const struct context *contexts = tree->contexts;
  if ((function & FUNCTION_ROOT) != 0) {
    uint32_t i = parent;
    while (i != CONTEXT_ROOT && (contexts[i].function & FUNCTION_ROOT) == 0)
      i = contexts[i].parent;
    if (i == CONTEXT_ROOT)
      return STATE_RUN;
  }
  return phase_next((enum phase_state)contexts[parent].state,
                    (enum phase_role)FUNCTION_ROLE(function));
}

/* Where a call of `function' from `parent' folds to: the parent of that
 * ancestor on the path whose place it takes; CONTEXT_OVERFLOW: nowhere.  Sets
 * `new_arc' when the path lacks a call from that caller, or from that nearest
 * shown caller, to that callee. */
static uint32_t
fold_parent(const struct context_tree *tree, uint32_t parent,
            uint32_t function, enum phase_state state, bool *new_arc)
{
  const struct context *contexts = tree->contexts;
  const uint32_t caller = contexts[parent].function;
  const uint32_t shown_caller = contexts[parent].shown;
  const bool hidden = (function & FUNCTION_HIDDEN) != 0;
  const uint32_t shown =
      hidden ? shown_caller : function & FUNCTION_NUMBER;
  uint32_t candidate = CONTEXT_OVERFLOW;
  bool novel = false; /* below: something that the path above has not */
  bool arc_known = false, shown_arc_known = hidden;

  *new_arc = true;
  if (function == 0 || caller == 0)
    return CONTEXT_OVERFLOW;
  for (uint32_t i = parent; i != CONTEXT_ROOT; i = contexts[i].parent) {
    const struct context *c = &contexts[i];
    if (c->function == 0)
      return CONTEXT_OVERFLOW;
    if ((c->function & FUNCTION_ROOT) != 0)
      break;
    if (c->function == function) {
      if (candidate == CONTEXT_OVERFLOW && !novel && c->shown == shown &&
          c->state == (uint32_t)state)
        candidate = c->parent;
      arc_known |= contexts[c->parent].function == caller;
      shown_arc_known |= contexts[c->parent].shown == shown_caller;
    }
    novel |= c->new_arc;
    if (arc_known && shown_arc_known &&
        (novel || candidate != CONTEXT_OVERFLOW))
      break;
  }
  *new_arc = !arc_known || !shown_arc_known;
  return *new_arc ? CONTEXT_OVERFLOW : candidate;
}

uint32_t
context_tree_child(struct context_tree *tree, uint32_t parent, uint64_t site)
{
  uint32_t i = context_hash(parent, site) & tree->context_mask;
  uint32_t number, target, function;
  struct context *c;
  enum phase_state state;
  bool new_arc;

  for (; (number = tree->context_index[i]) != 0;
       i = (i + 1) & tree->context_mask) {
    c = &tree->contexts[number];
    if (c->site == site && c->parent == parent)
      return number;
  }
  if (parent == CONTEXT_OVERFLOW)
    return CONTEXT_OVERFLOW;
  if (tree->context_count >= tree->budget || !context_index_grow(tree)) {
    tree->overflowed++;
    return CONTEXT_OVERFLOW;
  }
  function = tree->function_of(
      tree->closure, site,
      tree->contexts[parent].function & FUNCTION_NUMBER);
  state = state_below(tree, parent, function);
  target = fold_parent(tree, parent, function, state, &new_arc);
  if (target != CONTEXT_OVERFLOW && tree->fold) {
    target = context_tree_child(tree, target, site);
    if (target == CONTEXT_OVERFLOW || tree->context_count >= tree->budget ||
        !context_index_grow(tree)) {
      tree->overflowed++;
      return CONTEXT_OVERFLOW;
    }
    number = tree->context_count;
  } else {
    target = number = tree->context_count;
  }
  c = &tree->contexts[number];
  *c = (struct context){ .site = site,
                         .parent = parent,
                         .target = target,
                         .function = function,
                         .shown = (function & FUNCTION_HIDDEN) != 0
                                      ? tree->contexts[parent].shown
                                      : function & FUNCTION_NUMBER,
                         .state = (unsigned)state & 7,
                         .new_arc = new_arc };
  context_index_add(tree, number);
  __atomic_store_n(&tree->context_count, number + 1, __ATOMIC_RELEASE);
  return number;
}

struct leaf *
context_tree_leaf(struct context_tree *tree, uint32_t up, uint64_t site,
                  uint32_t what, uint32_t size, uint64_t clas)
{
  uint32_t i = leaf_hash(up, site, what, size, clas) & tree->leaf_mask;
  uint32_t number, context;
  struct leaf *l;

  for (; (number = tree->leaf_index[i]) != 0; i = (i + 1) & tree->leaf_mask) {
    l = &tree->leaves[number];
    if (l->site == site && l->up == up && l->what == what &&
        l->size == size && l->clas == clas)
      return l;
  }
  /* The last record is kept for what finds no room. */
  if (tree->leaf_count >= tree->budget || !leaf_index_grow(tree)) {
    tree->overflowed++;
    l = &tree->leaves[tree->budget];
    l->site = SITE_SPECIAL | SITE_OVERFLOW;
    l->what = LEAF_PIECES; /* of all sizes */
    l->up = l->context = CONTEXT_OVERFLOW;
    return l;
  }
  context = context_tree_child(tree, up, site);
  number = tree->leaf_count;
  l = &tree->leaves[number];
  *l = (struct leaf){ .site = site,
                      .clas = clas,
                      .what = what,
                      .size = size,
                      .up = up,
                      .context = context };
  leaf_index_add(tree, number);
  __atomic_store_n(&tree->leaf_count, number + 1, __ATOMIC_RELEASE);
  return l;
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
    uint32_t number = context_tree_child(into, to[c->parent], c->site);
    into->contexts[number].activations += c->activations;
    to[i] = number;
  }
  for (uint32_t i = 1; i < from->leaf_count; i++) {
    const struct leaf *l = &from->leaves[i];
    struct leaf *leaf = context_tree_leaf(into, to[l->up], l->site, l->what,
                                          l->size, l->clas);
    leaf->count += l->count;
    leaf->bytes += l->bytes;
    if (leaf == &into->leaves[into->budget])
      no_room(closure, l);
  }
  {
    const struct leaf *l = &from->leaves[from->budget];
    struct leaf *leaf = &into->leaves[into->budget];
    leaf->site = SITE_SPECIAL | SITE_OVERFLOW;
    leaf->what = LEAF_PIECES;
    leaf->context = leaf->up = CONTEXT_OVERFLOW;
    leaf->count += l->count;
    leaf->bytes += l->bytes;
  }
  into->overflowed += from->overflowed;
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
  if (!changed)
    return;
  arena_clear(&tree->context_index_arena);
  for (uint32_t i = CONTEXT_FIRST; i < tree->context_count; i++)
    context_index_add(tree, i);
  arena_clear(&tree->leaf_index_arena);
  for (uint32_t i = 1; i < tree->leaf_count; i++)
    leaf_index_add(tree, i);
}
