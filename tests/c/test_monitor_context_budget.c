/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * More paths than the budget of a context tree: all totals are exact, by kind
 * too, and so are the inclusive figures of the callers that have contexts.
 * They are compared with those of a tree that has room for all.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "context_tree_fixture.h"

enum { DEPTH = 5, CHAINS = 3000, KINDS = 12 };

/* Few functions call more, and these some hundreds. */
static void
chain_of(unsigned i, uint64_t *sites)
{
  sites[0] = site(MAIN, 1);
  sites[1] = site(20 + i % 3, 1);
  sites[2] = site(30 + i % 5, 1);
  sites[3] = site(40 + i % 7, 1);
  sites[4] = site(1000 + i * 37 % 800, 1);
}

/* One call of each function on the way, and objects of two kinds. */
static void
count_chain(struct context_tree *tree, unsigned i)
{
  uint64_t sites[DEPTH];
  uint32_t numbers[DEPTH], up;
  chain_of(i, sites);
  up = follow_chain(tree, sites, DEPTH, numbers);
  for (size_t n = 0; n < DEPTH; n++)
    tree->contexts[numbers[n]].activations++;
  for (uint32_t k = 0; k < 2; k++) {
    struct leaf *leaf = context_tree_leaf(
        tree, up, site(CONS, 0), 1 + (i + k) % 3, 16 * (1 + i % 4), 0);
    leaf->count += 1 + i % 10;
    leaf->bytes += 16 * (1 + i % 4) * (1 + i % 10);
    leaf->activations++;
  }
}

/* Objects of each kind, and calls, below each context of a tree. */
struct below {
  uint64_t objects[KINDS], calls;
};

static unsigned
kind_of(const struct context_tree *tree, const struct leaf *leaf)
{
  const struct kind *k = context_tree_kind(tree, leaf);
  assert_in_range(k->what, 1, 3);
  assert_int_equal(leaf->bytes, leaf->count * k->size);
  return (k->what - 1) * 4 + k->size / 16 - 1;
}

static struct below *
sum_below(const struct context_tree *tree)
{
  struct below *below = calloc(tree->context_count, sizeof *below);
  assert_non_null(below);
  assert_int_equal(tree->leaves[LEAF_OVERFLOW].count, 0);
  for (uint32_t i = LEAF_FIRST; i < tree->leaf_count; i++) {
    const struct leaf *l = &tree->leaves[i];
    below[l->up].objects[kind_of(tree, l)] += l->count;
    below[l->up].calls += l->activations;
  }
  for (uint32_t i = tree->context_count - 1; i > CONTEXT_ROOT; i--) {
    struct below *parent = &below[tree->contexts[i].parent];
    below[i].calls += tree->contexts[i].activations;
    parent->calls += below[i].calls;
    for (unsigned k = 0; k < KINDS; k++)
      parent->objects[k] += below[i].objects[k];
  }
  return below;
}

/* The context of `whole' with the path that the context has in `tree'. */
static uint32_t
same_path(struct context_tree *whole, const struct context_tree *tree,
          uint32_t context)
{
  const struct context *c = &tree->contexts[context];
  return context == CONTEXT_ROOT
             ? (uint32_t)CONTEXT_ROOT
             : context_tree_child(whole, same_path(whole, tree, c->parent),
                                  c->site);
}

/* Each context has the inclusive figures that it has where there is room for
 * all. */
static void
assert_callers_are_exact(const struct context_tree *tree,
                         struct context_tree *whole, uint32_t first,
                         uint32_t end)
{
  const uint32_t count = whole->context_count;
  struct below *const is = sum_below(tree), *const wanted = sum_below(whole);
  for (uint32_t i = first; i < end; i++)
    if (!context_tree_is_over(tree, i))
      assert_memory_equal(&is[i], &wanted[same_path(whole, tree, i)],
                          sizeof *is);
  assert_int_equal(whole->context_count, count);
  free(is);
  free(wanted);
}

/* One at most below each context, with nothing below but one leaf of each
 * kind, and no more than the budget beside. */
static void
assert_budget_is_kept(const struct context_tree *tree)
{
  unsigned *const over = calloc(tree->context_count, sizeof *over);
  uint32_t contexts = 1, overs = 0;
  assert_non_null(over);
  for (uint32_t i = CONTEXT_FIRST; i < tree->context_count; i++) {
    const struct context *const c = &tree->contexts[i];
    assert_false(context_tree_is_over(tree, c->parent));
    contexts += !context_tree_is_over(tree, i);
    if (!context_tree_is_over(tree, i))
      continue;
    overs++;
    assert_int_equal(++over[c->parent], 1);
    assert_int_equal(c->target, i);
    assert_int_equal(c->function, 0);
  }
  assert_true(contexts < tree->budget);
  assert_true(overs > 0 && overs <= contexts);
  for (uint32_t i = LEAF_FIRST; i < tree->leaf_count; i++) {
    const struct leaf *const l = &tree->leaves[i];
    if (!context_tree_is_over(tree, l->up))
      continue;
    assert_int_equal(l->site, SITE_OVER);
    assert_int_equal(l->target, l->up);
    for (uint32_t k = LEAF_FIRST; k < i; k++)
      assert_false(tree->leaves[k].up == l->up &&
                   tree->leaves[k].kind == l->kind);
  }
  free(over);
}

/* Contexts find no room, leaves do not, or neither. */
static void
test_callers_beyond_the_budget(void **state)
{
  const uint32_t budgets[] = {16, 40, 150, 700, 2000};
  (void)state;
  for (size_t b = 0; b < sizeof budgets / sizeof *budgets; b++) {
    struct context_tree tree, whole;
    make_tree(&tree, budgets[b], true);
    make_tree(&whole, 100000, true);
    for (unsigned i = 0; i < CHAINS; i++) {
      count_chain(&tree, i);
      count_chain(&whole, i);
    }
    assert_true(tree.overflowed > 0);
    assert_int_equal(whole.overflowed, 0);
    assert_callers_are_exact(&tree, &whole, CONTEXT_ROOT, tree.context_count);
    assert_budget_is_kept(&tree);
    context_tree_release(&tree);
    context_tree_release(&whole);
  }
}

/* Its children are itself, and it stands where the first of them would. */
static void
test_child_beyond_the_budget(void **state)
{
  struct context_tree tree;
  uint32_t up, over;
  (void)state;
  make_tree(&tree, 16, true);
  up = context_tree_child(&tree, CONTEXT_ROOT, site(MAIN, 1));
  for (unsigned i = 0; tree.context_count < 16; i++)
    context_tree_child(&tree, up, site(F, i));
  assert_int_equal(tree.overflowed, 0);
  over = context_tree_child(&tree, up, site(G, 1));
  assert_int_equal(over, 16);
  assert_true(context_tree_is_over(&tree, over));
  assert_int_equal(tree.contexts[over].parent, up);
  assert_int_equal(context_tree_child(&tree, up, site(H, 1)), over);
  assert_int_equal(context_tree_child(&tree, over, site(F, 1)), over);
  assert_int_equal(context_tree_child(&tree, CONTEXT_ROOT, site(G, 1)),
                   CONTEXT_OVERFLOW);
  assert_int_equal(context_tree_child(&tree, up, site(F, 1)), CONTEXT_FIRST + 2);
  assert_int_equal(tree.context_count, 17);
  context_tree_release(&tree);
}

/* More leaves than there may be even so: those that are new are the root's,
 * with their kinds. */
static void
test_leaves_beyond_all_budgets(void **state)
{
  enum { SIZES = 2048, TYPES = 8 };
  struct context_tree tree;
  uint64_t *counts = calloc(SIZES * TYPES, sizeof *counts);
  uint64_t below_root = 0;
  (void)state;
  assert_non_null(counts);
  make_tree(&tree, 16, true);
  for (unsigned i = 1; i <= 20; i++) {
    const uint32_t up =
        context_tree_child(&tree, CONTEXT_ROOT, site(1000 + i, 0));
    for (uint32_t k = 0; k < SIZES * TYPES; k++)
      context_tree_leaf(&tree, up, site(CONS, 0), k / SIZES, k % SIZES, 0)
          ->count += i;
  }
  assert_true(tree.leaf_count <= tree.most + 1);
  assert_int_equal(tree.leaves[LEAF_OVERFLOW].count, 0);
  for (uint32_t i = LEAF_FIRST; i < tree.leaf_count; i++) {
    const struct kind *const k = context_tree_kind(&tree, &tree.leaves[i]);
    counts[k->what * SIZES + k->size] += tree.leaves[i].count;
    if (tree.leaves[i].up == CONTEXT_OVERFLOW)
      below_root += tree.leaves[i].count;
  }
  for (uint32_t k = 0; k < SIZES * TYPES; k++)
    assert_int_equal(counts[k], 20 * 21 / 2);
  /* what was called from the root, beyond the budget of contexts, and more */
  assert_true(below_root > (uint64_t)SIZES * TYPES * (15 + 16 + 17 + 18 + 19 + 20));
  free(counts);
  context_tree_release(&tree);
}

int
main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_callers_beyond_the_budget),
    cmocka_unit_test(test_child_beyond_the_budget),
    cmocka_unit_test(test_leaves_beyond_all_budgets),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
