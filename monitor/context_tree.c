/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * context_tree.c -- three arrays of records (contexts, leaves, kinds), each
 * with an open-addressed index of 32-bit record numbers (linear probing, at
 * most half full).  An index probe touches one cache line of the index and
 * the record itself.  An index that is half full is made anew, twice as large,
 * from the records alone, so that the old one is given back first and the two
 * never take memory together.
 *
 * Not done here: naming (code_index), walking (stack_walk), and any sum.
 */
#include "context_tree.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "sizes.h"

_Static_assert(sizeof(struct context) == 32, "memory of a path");
_Static_assert(sizeof(struct leaf) == 48, "memory of a path");

static uint64_t
mix(uint64_t h)
{
  h ^= h >> 32;
  h *= 0x9E3779B97F4A7C15ULL;
  return h ^ (h >> 29);
}

static uint64_t
kind_key(uint32_t what, uint32_t size, uint64_t clas)
{
  return clas + ((uint64_t)what << 40) + ((uint64_t)size << 8);
}

static uint32_t
context_hash(uint32_t parent, uint64_t site)
{
  return (uint32_t)mix(site * 31 + ((uint64_t)parent << 20));
}

static uint32_t
leaf_hash(uint32_t up, uint64_t site, uint64_t key)
{
  return (uint32_t)mix(site * 31 + ((uint64_t)up << 20) + key);
}

/* The hash of a record. */
typedef uint32_t hash_of_fn(const struct context_tree *tree, uint32_t number);

static uint32_t
hash_of_context(const struct context_tree *tree, uint32_t number)
{
  const struct context *c = &tree->contexts[number];
  return context_hash(c->parent, c->site);
}

static uint32_t
hash_of_leaf(const struct context_tree *tree, uint32_t number)
{
  const struct leaf *l = &tree->leaves[number];
  const struct kind *k = &tree->kinds[l->kind];
  return leaf_hash(l->up, l->site, kind_key(k->what, k->size, k->clas));
}

static uint32_t
hash_of_kind(const struct context_tree *tree, uint32_t number)
{
  const struct kind *k = &tree->kinds[number];
  return (uint32_t)mix(kind_key(k->what, k->size, k->clas));
}

static int
index_reserve(struct record_index *index, uint32_t slots)
{
  struct arena arena;
  if (arena_reserve(&arena, (size_t)slots * sizeof *index->slots) != 0)
    return -1;
  arena_release(&index->arena);
  index->arena = arena;
  index->slots = arena.base;
  index->mask = slots - 1;
  return 0;
}

static void
index_clear(struct record_index *index)
{
  arena_clear(&index->arena);
  index->mask = SIZE_FIRST_INDEX - 1;
}

static void
index_add(struct record_index *index, uint32_t hash, uint32_t number)
{
  uint32_t i = hash & index->mask;
  while (index->slots[i] != 0)
    i = (i + 1) & index->mask;
  index->slots[i] = number;
}

/* Put the records from `first' to before `count' into an empty index. */
static void
index_fill(const struct context_tree *tree, struct record_index *index,
           hash_of_fn *hash_of, uint32_t first, uint32_t count)
{
  for (uint32_t i = first; i < count; i++)
    index_add(index, hash_of(tree, i), i);
}

/* Make room for the record `count' in the index of those from `first' on.
 * False: the kernel gave no memory. */
static bool
index_grow(const struct context_tree *tree, struct record_index *index,
           hash_of_fn *hash_of, uint32_t first, uint32_t count)
{
  if (count * 2 <= index->mask)
    return true;
  if (index_reserve(index, (index->mask + 1) * 2) != 0)
    return false;
  index_fill(tree, index, hash_of, first, count);
  return true;
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
  tree->kinds[KIND_ANY] = (struct kind){ .what = LEAF_PIECES };
  tree->kind_count = 1;
  tree->leaves[tree->budget] = (struct leaf){
    .site = SITE_SPECIAL | SITE_OVERFLOW,
    .up = CONTEXT_OVERFLOW,
    .target = CONTEXT_OVERFLOW,
    .kind = KIND_ANY
  };
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
      index_reserve(&tree->context_index, SIZE_FIRST_INDEX) != 0 ||
      index_reserve(&tree->leaf_index, SIZE_FIRST_INDEX) != 0 ||
      index_reserve(&tree->kind_index, SIZE_FIRST_INDEX) != 0) {
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
  arena_release(&tree->context_index.arena);
  arena_release(&tree->leaf_index.arena);
  arena_release(&tree->kind_index.arena);
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
  index_clear(&tree->context_index);
  index_clear(&tree->leaf_index);
  index_clear(&tree->kind_index);
  add_special(tree);
}

static uint64_t
index_bytes(const struct record_index *index)
{
  return ((uint64_t)index->mask + 1) * sizeof *index->slots;
}

uint64_t
context_tree_bytes(const struct context_tree *tree)
{
  return tree->context_count * sizeof(struct context) +
         ((uint64_t)tree->leaf_count + 1) * sizeof(struct leaf) +
         tree->kind_count * sizeof(struct kind) +
         index_bytes(&tree->context_index) + index_bytes(&tree->leaf_index) +
         index_bytes(&tree->kind_index);
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

/* The function that `site' is in, called from `parent'. */
static uint32_t
called_function(const struct context_tree *tree, uint32_t parent,
                uint64_t site)
{
  return tree->function_of(tree->closure, site,
                           tree->contexts[parent].function & FUNCTION_NUMBER);
}

/* The caller of an allocating function on the folded path. */
static uint32_t
leaf_target(const struct context_tree *tree, uint32_t up, uint32_t function)
{
  bool new_arc;
  uint32_t target = fold_parent(tree, up, function,
                                state_below(tree, up, function), &new_arc);
  return target == CONTEXT_OVERFLOW ? up : target;
}

static bool
has_room_for_context(struct context_tree *tree)
{
  return tree->context_count < tree->budget &&
         index_grow(tree, &tree->context_index, hash_of_context,
                    CONTEXT_FIRST, tree->context_count);
}

uint32_t
context_tree_child(struct context_tree *tree, uint32_t parent, uint64_t site)
{
  const struct record_index *index = &tree->context_index;
  const uint32_t hash = context_hash(parent, site);
  uint32_t number, target = CONTEXT_OVERFLOW, function;
  struct context *c;
  enum phase_state state;
  bool new_arc = false;

  for (uint32_t i = hash & index->mask; (number = index->slots[i]) != 0;
       i = (i + 1) & index->mask) {
    c = &tree->contexts[number];
    if (c->site == site && c->parent == parent)
      return number;
  }
  if (parent == CONTEXT_OVERFLOW)
    return CONTEXT_OVERFLOW;
  if (!has_room_for_context(tree)) {
    tree->overflowed++;
    return CONTEXT_OVERFLOW;
  }
  function = called_function(tree, parent, site);
  state = state_below(tree, parent, function);
  if (tree->fold)
    target = fold_parent(tree, parent, function, state, &new_arc);
  if (target != CONTEXT_OVERFLOW) {
    target = context_tree_child(tree, target, site);
    if (target == CONTEXT_OVERFLOW || !has_room_for_context(tree)) {
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
  index_add(&tree->context_index, hash, number);
  __atomic_store_n(&tree->context_count, number + 1, __ATOMIC_RELEASE);
  return number;
}

/* The number of a kind; KIND_ANY when there is no memory. */
static uint32_t
intern_kind(struct context_tree *tree, uint32_t what, uint32_t size,
            uint64_t clas)
{
  const struct record_index *index = &tree->kind_index;
  const uint32_t hash = (uint32_t)mix(kind_key(what, size, clas));
  uint32_t number;
  for (uint32_t i = hash & index->mask; (number = index->slots[i]) != 0;
       i = (i + 1) & index->mask) {
    const struct kind *k = &tree->kinds[number];
    if (k->what == what && k->size == size && k->clas == clas)
      return number;
  }
  if (!index_grow(tree, &tree->kind_index, hash_of_kind, 1,
                  tree->kind_count))
    return KIND_ANY;
  number = tree->kind_count++; /* there are no more than leaves */
  tree->kinds[number] =
      (struct kind){ .clas = clas, .what = what, .size = size };
  index_add(&tree->kind_index, hash, number);
  return number;
}

struct leaf *
context_tree_leaf(struct context_tree *tree, uint32_t up, uint64_t site,
                  uint32_t what, uint32_t size, uint64_t clas)
{
  const struct record_index *index = &tree->leaf_index;
  uint32_t hash, number, kind, function = 0, target = up;
  struct leaf *l;

  if (up == CONTEXT_OVERFLOW)
    site = SITE_SPECIAL | SITE_OVERFLOW;
  hash = leaf_hash(up, site, kind_key(what, size, clas));
  for (uint32_t i = hash & index->mask; (number = index->slots[i]) != 0;
       i = (i + 1) & index->mask) {
    const struct kind *k;
    l = &tree->leaves[number];
    k = &tree->kinds[l->kind];
    if (l->site == site && l->up == up && k->what == what &&
        k->size == size && k->clas == clas)
      return l;
  }
  if (tree->leaf_count >= tree->budget ||
      !index_grow(tree, &tree->leaf_index, hash_of_leaf, 1,
                  tree->leaf_count) ||
      (kind = intern_kind(tree, what, size, clas)) == KIND_ANY) {
    tree->overflowed++;
    return &tree->leaves[tree->budget];
  }
  if (up != CONTEXT_OVERFLOW) {
    function = called_function(tree, up, site);
    if (tree->fold)
      target = leaf_target(tree, up, function);
  }
  number = tree->leaf_count;
  l = &tree->leaves[number];
  *l = (struct leaf){ .site = site,
                      .up = up,
                      .target = target,
                      .kind = kind,
                      .function = function };
  index_add(&tree->leaf_index, hash, number);
  __atomic_store_n(&tree->leaf_count, number + 1, __ATOMIC_RELEASE);
  return l;
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
    uint32_t number = context_tree_child(into, to[c->parent], c->site);
    into->contexts[number].activations += c->activations;
    to[i] = number;
  }
  for (uint32_t i = 1; i < from->leaf_count; i++) {
    const struct leaf *l = &from->leaves[i];
    const struct kind *k = &from->kinds[l->kind];
    struct leaf *leaf = context_tree_leaf(into, to[l->up], l->site, k->what,
                                          k->size, k->clas);
    add_counts(leaf, l);
    if (leaf == &into->leaves[into->budget])
      no_room(closure, l, k);
  }
  add_counts(&into->leaves[into->budget], &from->leaves[from->budget]);
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
  arena_clear(&tree->context_index.arena);
  index_fill(tree, &tree->context_index, hash_of_context, CONTEXT_FIRST,
             tree->context_count);
  arena_clear(&tree->leaf_index.arena);
  index_fill(tree, &tree->leaf_index, hash_of_leaf, 1, tree->leaf_count);
}
