/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * context_retire.c -- a second tree is made of what stays, in the order of
 * the first one: there callers come before what they call.
 *
 * What is retired takes a leaf for each kind and caller.  Where these are
 * many fewer contexts may stay than there would be room for.
 */
#include "tree/context_retire.h"

#include <stddef.h>

/* Not retired, whatever its score. */
#define STAYS UINT64_MAX

/* In `to': the context is retired, and this is its nearest caller that
 * stays. */
#define RETIRED (1u << 31)

struct retirement {
  const struct context_tree *from;
  struct context_tree into;
  uint64_t *scores; /* of contexts, then of leaves */
  uint32_t *to;     /* the number of each context in `into' */
  uint32_t *leaf_of;
  struct arena arena; /* of scores and `to' */
};

/* ---- scores ---- */

static uint64_t
leaf_score(const struct context_tree *tree, uint32_t number)
{
  const struct leaf *const l = &tree->leaves[number];
  const uint64_t *const counted = tree->counted.base;
  if (l->up == CONTEXT_OVERFLOW)
    return STAYS;
  if (l->site == (SITE_SPECIAL | SITE_RETIRED_PATHS))
    return 0;
  if (number >= tree->counted_leaves)
    return l->bytes;
  return l->bytes > counted[number] ? l->bytes - counted[number] : 0;
}

/* A folded context is there for two others, and stays with them.  What is
 * kept below it counts for the one that it goes to as well: that is called by
 * an ancestor of it, for which it counts already. */
static void
find_folded_scores(const struct context_tree *tree, uint64_t *scores)
{
  for (uint32_t i = CONTEXT_FIRST; i < tree->context_count; i++) {
    const uint32_t target = tree->contexts[i].target;
    if (scores[target] < scores[i])
      scores[target] = scores[i];
  }
  for (uint32_t i = CONTEXT_FIRST; i < tree->context_count; i++) {
    const struct context *const c = &tree->contexts[i];
    if (c->target != i)
      scores[i] = scores[c->parent] < scores[c->target] ? scores[c->parent]
                                                        : scores[c->target];
  }
}

static void
find_scores(struct retirement *r)
{
  const struct context_tree *const tree = r->from;
  uint64_t *const scores = r->scores;
  uint64_t *const leaf_scores = scores + tree->context_count;
  leaf_scores[0] = leaf_scores[LEAF_OVERFLOW] = STAYS;
  for (uint32_t i = LEAF_FIRST; i < tree->leaf_count; i++) {
    leaf_scores[i] = leaf_score(tree, i);
    if (leaf_scores[i] != STAYS)
      scores[tree->leaves[i].up] += leaf_scores[i];
  }
  for (uint32_t i = tree->context_count - 1; i >= CONTEXT_FIRST; i--) {
    scores[tree->contexts[i].parent] += scores[i];
    if ((tree->contexts[i].site & SITE_SPECIAL) != 0)
      scores[i] = STAYS;
  }
  scores[CONTEXT_ROOT] = scores[CONTEXT_OVERFLOW] = STAYS;
  find_folded_scores(tree, scores);
}

/* The score of the last of the `keep' highest of `count'; *ties gets how many
 * with that very score are among them.  By digits, the highest first. */
static uint64_t
select_score(const uint64_t *scores, size_t count, size_t keep, size_t *ties)
{
  uint64_t score = 0, known = 0;
  if (keep > count)
    keep = count;
  for (int shift = 56; shift >= 0; shift -= 8) {
    size_t counts[256] = {0};
    unsigned digit = 255;
    for (size_t i = 0; i < count; i++)
      if ((scores[i] & known) == score)
        counts[scores[i] >> shift & 255]++;
    while (counts[digit] < keep)
      keep -= counts[digit--];
    score |= (uint64_t)digit << shift;
    known |= (uint64_t)255 << shift;
  }
  *ties = keep;
  return score;
}

/* ---- the second tree ---- */

struct choice {
  uint64_t least; /* score of what stays */
  size_t ties;    /* how many more of that score stay */
};

static bool
stays(struct choice *choice, uint64_t score)
{
  if (score == choice->least && score != STAYS && choice->ties > 0) {
    choice->ties--;
    return true;
  }
  return score > choice->least || score == STAYS;
}

/* The leaf of what is retired below the context `up' of `into'. */
static struct leaf *
retired_leaf(struct retirement *r, uint32_t up, const struct kind *kind)
{
  return context_tree_leaf(&r->into, up, SITE_SPECIAL | SITE_RETIRED_PATHS,
                           kind->what, kind->size, kind->clas);
}

static void
copy_contexts(struct retirement *r, struct choice *choice)
{
  static const struct kind calls = {.what = LEAF_PIECES};
  const struct context_tree *const from = r->from;
  r->to[CONTEXT_OVERFLOW] = CONTEXT_OVERFLOW;
  r->into.contexts[CONTEXT_OVERFLOW].activations =
      from->contexts[CONTEXT_OVERFLOW].activations;
  for (uint32_t i = CONTEXT_FIRST; i < from->context_count; i++) {
    const struct context *const c = &from->contexts[i];
    const uint32_t caller = r->to[c->parent];
    if (stays(choice, r->scores[i]) && (caller & RETIRED) == 0) {
      r->to[i] =
          context_tree_find_child(&r->into, caller, c->site, c->function);
      r->into.contexts[r->to[i]].activations += c->activations;
      continue;
    }
    r->to[i] = caller | RETIRED;
    if (c->activations != 0)
      retired_leaf(r, caller & ~RETIRED, &calls)->activations +=
          c->activations;
  }
}

static void
copy_leaves(struct retirement *r, struct choice *choice)
{
  const struct context_tree *const from = r->from;
  const uint64_t *const scores = r->scores + from->context_count;
  r->into.leaves[LEAF_OVERFLOW] = from->leaves[LEAF_OVERFLOW];
  r->leaf_of[LEAF_OVERFLOW] = LEAF_OVERFLOW;
  for (uint32_t i = LEAF_FIRST; i < from->leaf_count; i++) {
    const struct leaf *const l = &from->leaves[i];
    const struct kind *const k = &from->kinds[l->kind];
    const uint32_t up = r->to[l->up];
    struct leaf *const leaf =
        stays(choice, scores[i]) && (up & RETIRED) == 0
            ? context_tree_find_leaf(&r->into, up, l->site, l->function,
                                     context_tree_kind_number(&r->into, k))
            : retired_leaf(r, up & ~RETIRED, k);
    context_tree_add_counts(leaf, l);
    r->leaf_of[i] = (uint32_t)(leaf - r->into.leaves);
  }
}

/* Make the second tree of the `keep' records with the highest scores.  False,
 * with nothing held: there is no room for it. */
static bool
rebuild(struct retirement *r, uint32_t keep)
{
  const struct context_tree *const from = r->from;
  const size_t count = (size_t)from->context_count + from->leaf_count;
  struct choice choice;
  choice.least = select_score(r->scores, count, keep, &choice.ties);
  if (context_tree_init(&r->into, from->budget, from->fold, from->function_of,
                        from->closure, from->make_room) != 0)
    return false;
  r->into.fold_places = from->fold_places;
  copy_contexts(r, &choice);
  copy_leaves(r, &choice);
  if (r->into.overflowed == 0)
    return true;
  context_tree_release(&r->into);
  return false;
}

/* Note how much of each leaf will count no more. */
static bool
note_counted(struct retirement *r)
{
  const struct context_tree *const from = r->from;
  const uint64_t *const scores = r->scores + from->context_count;
  uint64_t *counted;
  if (arena_reserve(&r->into.counted, r->into.leaf_count * sizeof *counted) !=
      0)
    return false;
  counted = r->into.counted.base;
  r->into.counted_leaves = r->into.leaf_count;
  for (uint32_t i = LEAF_FIRST; i < from->leaf_count; i++)
    counted[r->leaf_of[i]] = from->leaves[i].bytes - scores[i] / 2;
  return true;
}

/* ---- the whole ---- */

/* Room for the work. */
static bool
begin(struct retirement *r, struct arena *leaf_of)
{
  const size_t contexts = r->from->context_count;
  const size_t scores_bytes =
      (contexts + r->from->leaf_count) * sizeof *r->scores;
  if (arena_reserve(leaf_of, r->from->leaf_count * sizeof *r->leaf_of) != 0)
    return false;
  if (arena_reserve(&r->arena, scores_bytes + contexts * sizeof *r->to) !=
      0) {
    arena_release(leaf_of);
    return false;
  }
  r->scores = r->arena.base;
  r->to = (uint32_t *)((char *)r->arena.base + scores_bytes);
  r->leaf_of = leaf_of->base;
  return true;
}

static bool
is_half_free(const struct context_tree *tree)
{
  return tree->context_count <= tree->budget / 2 &&
         tree->leaf_count <= tree->budget / 2;
}

/* Make a second tree that leaves half of the budget free. */
static bool
find_room(struct retirement *r)
{
  for (uint32_t keep = r->from->budget / 8 * 3; keep > 0; keep /= 2) {
    if (!rebuild(r, keep))
      continue;
    if (is_half_free(&r->into) && note_counted(r))
      return true;
    context_tree_release(&r->into);
  }
  return false;
}

/* ---- trees that somebody reads ---- */

/* A tree that was replaced while it was read. */
struct former {
  struct context_tree tree;
  struct former *next;
  struct arena arena; /* has this struct */
};

static bool held;
static struct former *former_trees;

void
context_trees_hold(void)
{
  __atomic_store_n(&held, true, __ATOMIC_SEQ_CST);
}

void
context_trees_let_go(void)
{
  __atomic_store_n(&held, false, __ATOMIC_SEQ_CST);
  struct former *f =
      __atomic_exchange_n(&former_trees, NULL, __ATOMIC_ACQ_REL);
  while (f != NULL) {
    struct arena arena = f->arena;
    struct former *const next = f->next;
    context_tree_release(&f->tree);
    arena_release(&arena);
    f = next;
  }
}

/* Releases it now, or when nobody can be reading it.  What comes too late to
 * be let go waits until the next time; what there is no memory to remember is
 * never released. */
static void
release_former(const struct context_tree *tree)
{
  struct context_tree former = *tree;
  struct arena arena;
  if (!__atomic_load_n(&held, __ATOMIC_SEQ_CST)) {
    context_tree_release(&former);
  } else if (arena_reserve(&arena, sizeof(struct former)) == 0) {
    struct former *const f = arena.base;
    *f = (struct former){former, NULL, arena};
    f->next = __atomic_load_n(&former_trees, __ATOMIC_RELAXED);
    while (!__atomic_compare_exchange_n(&former_trees, &f->next, f, false,
                                        __ATOMIC_ACQ_REL, __ATOMIC_RELAXED))
      continue;
  }
}

/* The second tree takes the place of the first one. */
static void
replace(struct context_tree *tree, struct context_tree *into)
{
  into->full = tree->full;
  into->overflowed = tree->overflowed;
  release_former(tree);
  *tree = *into;
}

bool
context_tree_retire(struct context_tree *tree, struct arena *leaf_of)
{
  struct retirement r = {.from = tree};
  if (tree->stuck)
    return false;
  tree->stuck = true;
  if (!begin(&r, leaf_of))
    return false;
  find_scores(&r);
  if (find_room(&r))
    replace(tree, &r.into);
  else
    arena_release(leaf_of);
  arena_release(&r.arena);
  return !tree->stuck;
}
