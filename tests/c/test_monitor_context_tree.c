/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The context tree by itself: identity of contexts and leaves, what a path
 * costs, merging and renaming.  (test_monitor_folding.c folds;
 * test_monitor_context_budget.c has too little room.)
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/sizes.h"
#include "context_tree_fixture.h"

static void
test_same_site_same_context(void **state)
{
  struct context_tree tree;
  uint32_t a, b;
  (void)state;
  make_tree(&tree, 1000, true);
  a = context_tree_child(&tree, CONTEXT_ROOT, site(MAIN, 1));
  b = context_tree_child(&tree, a, site(F, 1));
  assert_int_equal(context_tree_child(&tree, CONTEXT_ROOT, site(MAIN, 1)), a);
  assert_int_equal(context_tree_child(&tree, a, site(F, 1)), b);
  assert_int_not_equal(context_tree_child(&tree, a, site(F, 2)), b);
  assert_int_not_equal(context_tree_child(&tree, CONTEXT_ROOT, site(F, 1)),
                       b);
  assert_int_equal(tree.contexts[b].parent, a);
  assert_int_equal(tree.contexts[b].target, b);
  context_tree_release(&tree);
}

static void
test_leaves_by_type_size_and_class(void **state)
{
  struct context_tree tree;
  uint32_t up;
  struct leaf *one, *other;
  (void)state;
  make_tree(&tree, 1000, true);
  up = context_tree_child(&tree, CONTEXT_ROOT, site(MAIN, 1));
  one = context_tree_leaf(&tree, up, site(F, 1), 1, 16, 0);
  one->count = 7;
  assert_ptr_equal(context_tree_leaf(&tree, up, site(F, 1), 1, 16, 0), one);
  other = context_tree_leaf(&tree, up, site(F, 1), 2, 16, 0);
  assert_ptr_not_equal(other, one);
  assert_ptr_not_equal(context_tree_leaf(&tree, up, site(F, 1), 1, 32, 0),
                       one);
  assert_ptr_not_equal(context_tree_leaf(&tree, up, site(F, 1), 1, 16, 99),
                       one);
  /* a leaf is a path of its own and makes no context */
  assert_int_equal(one->up, up);
  assert_int_equal(one->target, up);
  assert_int_equal(one->function, F);
  assert_int_equal(context_tree_kind(&tree, other)->what, 2);
  assert_int_equal(context_tree_kind(&tree, other)->size, 16);
  assert_int_equal(tree.context_count, CONTEXT_FIRST + 1);
  assert_int_equal(context_tree_paths(&tree), 1 + 4);
  context_tree_release(&tree);
}

/* Contexts and leaves one by one up to 10^5 of both.  An index has twice as
 * many slots when three quarters of them are used, so that a record has 22
 * bytes of its index at most; one that is the first below its context has
 * none. */
static void
test_bytes_of_a_path(void **state)
{
  enum { N = 100000 };
  const unsigned contexts_in_16[] = { 0, 4, 8, 15 };
  (void)state;
  for (size_t shape = 0; shape < 4; shape++) {
    struct context_tree tree;
    uint32_t up = CONTEXT_ROOT;
    uint64_t empty;
    make_tree(&tree, N + 10, false);
    empty = context_tree_bytes(&tree);
    for (unsigned i = 0; i < N; i++) {
      if (i % 16 < contexts_in_16[shape])
        up = context_tree_child(&tree, up, site(F, i % 7));
      else
        context_tree_leaf(&tree, up, site(i, 1), i / 7 % 40, 16, 0);
      assert_int_equal(context_tree_paths(&tree), i + 1);
    }
    assert_int_equal(context_tree_bytes(&tree),
                     (uint64_t)tree.context_count * 40 +
                         (uint64_t)tree.leaf_count * 48 +
                         (uint64_t)tree.kind_count * 16 +
                         record_index_bytes(&tree.indices[TREE_CONTEXTS]) +
                         record_index_bytes(&tree.indices[TREE_LEAVES]) +
                         record_index_bytes(&tree.indices[TREE_KINDS]));
    if (SIZE_INDEX_BITS >= 9)
      assert_true(context_tree_bytes(&tree) <=
                  empty + 48 * (uint64_t)tree.kind_count + 80 * (uint64_t)N);
    assert_int_equal(tree.overflowed, 0);
    context_tree_clear(&tree);
    assert_int_equal(context_tree_bytes(&tree), empty);
    context_tree_release(&tree);
  }
}

static void
test_many_contexts_survive_growth(void **state)
{
  struct context_tree tree;
  enum { N = 300000 };
  uint32_t *numbers = malloc(N * sizeof *numbers);
  (void)state;
  assert_non_null(numbers);
  make_tree(&tree, N + 10, true);
  for (unsigned i = 0; i < N; i++)
    numbers[i] = context_tree_child(&tree, CONTEXT_ROOT, site(i + 1, 3));
  for (unsigned i = 0; i < N; i++) {
    assert_int_equal(
        context_tree_child(&tree, CONTEXT_ROOT, site(i + 1, 3)), numbers[i]);
    assert_int_equal(tree.contexts[numbers[i]].site, site(i + 1, 3));
  }
  assert_int_equal(tree.context_count, N + CONTEXT_FIRST);
  assert_int_equal(tree.overflowed, 0);
  free(numbers);
  context_tree_release(&tree);
}

/* Follows a chain of at most 4 sites, and counts an activation of each; gives
 * the last context's number. */
static uint32_t
enter_chain(struct context_tree *tree, const uint64_t *sites, size_t n)
{
  uint32_t numbers[4];
  const uint32_t last = follow_chain(tree, sites, n, numbers);
  for (size_t i = 0; i < n; i++)
    tree->contexts[numbers[i]].activations++;
  return last;
}

static uint64_t
retire_f(void *closure, uint64_t s)
{
  (void)closure;
  return s / 16 == F ? SITE_RETIRED | s : s;
}

/* After code was unloaded its addresses are another function's. */
static void
test_renamed_sites(void **state)
{
  const uint64_t chain[] = { site(MAIN, 1), site(F, 1) };
  struct context_tree tree;
  uint32_t old, main_context, new;
  struct leaf *leaf;
  (void)state;
  make_tree(&tree, 100, true);
  old = enter_chain(&tree, chain, 2);
  leaf = context_tree_leaf(&tree, old, site(F, 2), 1, 16, 0);
  leaf->count = 3;
  context_tree_rename_sites(&tree, retire_f, NULL);
  assert_int_equal(tree.contexts[old].site, SITE_RETIRED | site(F, 1));
  assert_int_equal(leaf->site, SITE_RETIRED | site(F, 2));
  main_context = context_tree_child(&tree, CONTEXT_ROOT, site(MAIN, 1));
  new = context_tree_child(&tree, main_context, site(F, 1));
  assert_int_not_equal(new, old);
  assert_int_equal(leaf->count, 3);
  context_tree_release(&tree);
}

static void
test_clear(void **state)
{
  const uint64_t chain[] = { site(MAIN, 1), site(F, 1) };
  struct context_tree tree;
  (void)state;
  make_tree(&tree, 100, true);
  context_tree_leaf(&tree, enter_chain(&tree, chain, 2), site(CONS, 0), 1, 16,
                    0)
      ->count = 3;
  context_tree_clear(&tree);
  assert_int_equal(tree.context_count, CONTEXT_FIRST);
  assert_int_equal(
      context_tree_leaf(&tree, enter_chain(&tree, chain, 2), site(CONS, 0), 1,
                        16, 0)
          ->count,
      0);
  assert_int_equal(tree.contexts[CONTEXT_FIRST].activations, 1);
  context_tree_release(&tree);
}

int
main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_same_site_same_context),
    cmocka_unit_test(test_leaves_by_type_size_and_class),
    cmocka_unit_test(test_bytes_of_a_path),
    cmocka_unit_test(test_many_contexts_survive_growth),
    cmocka_unit_test(test_renamed_sites),
    cmocka_unit_test(test_clear),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
