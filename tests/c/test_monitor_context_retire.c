/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Contexts that are retired into their callers: what stays has the figures
 * that it had, what is below it too, and the hot stay.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "context_tree_fixture.h"
#include "tree/context_retire.h"

enum { KINDS = 5, MOST = 4000 };

static uint32_t random_state;

static uint32_t
by_chance(uint32_t below)
{
  random_state = random_state * 1664525 + 1013904223;
  return (random_state >> 8) % below;
}

static void
count(struct context_tree *tree, uint32_t up, uint64_t at, unsigned kind,
      uint64_t objects)
{
  struct leaf *const leaf =
      context_tree_leaf(tree, up, at, kind, 16 * kind, 0);
  leaf->count += objects;
  leaf->bytes += 16 * kind * objects;
  leaf->activations++;
}

/* Paths by chance, of up to 12 calls among 7 functions, the more often the
 * smaller the numbers of their calls. */
static void
count_at_random(struct context_tree *tree, unsigned paths)
{
  while (paths-- > 0) {
    uint32_t up = CONTEXT_ROOT;
    for (uint32_t depth = by_chance(12); depth > 0; depth--) {
      const uint32_t called = context_tree_child(
          tree, up, site(1 + by_chance(7), by_chance(1 + by_chance(4))));
      tree->contexts[called].activations++;
      up = tree->contexts[called].target;
    }
    count(tree, up, site(CONS, by_chance(2)), 1 + by_chance(KINDS),
          1 + by_chance(9));
  }
}

/* What is at or below each context, by kind; calls are the last. */
static void
sum_up(const struct context_tree *tree, uint64_t (*sums)[KINDS + 2])
{
  for (uint32_t i = 0; i < tree->context_count; i++)
    for (int k = 0; k < KINDS + 2; k++)
      sums[i][k] = 0;
  for (uint32_t i = LEAF_OVERFLOW; i < tree->leaf_count; i++) {
    const struct leaf *const l = &tree->leaves[i];
    sums[l->up][tree->kinds[l->kind].size / 16] += l->count;
    sums[l->up][KINDS + 1] += l->activations;
  }
  for (uint32_t i = tree->context_count - 1; i >= CONTEXT_FIRST; i--) {
    sums[i][KINDS + 1] += tree->contexts[i].activations;
    for (int k = 0; k < KINDS + 2; k++)
      sums[tree->contexts[i].parent][k] += sums[i][k];
  }
}

/* Each context of `after' has below it what it had in `before'. */
static void
assert_same_below(struct context_tree *before, struct context_tree *after)
{
  static uint64_t old[MOST][KINDS + 2], new[MOST][KINDS + 2];
  static uint32_t at[MOST];
  const uint32_t contexts = before->context_count;
  assert_true(contexts <= MOST);
  sum_up(before, old);
  sum_up(after, new);
  at[CONTEXT_OVERFLOW] = CONTEXT_OVERFLOW;
  for (uint32_t i = 0; i < after->context_count; i++) {
    const struct context *const c = &after->contexts[i];
    if (i >= CONTEXT_FIRST)
      at[i] = context_tree_child(before, at[c->parent], c->site);
    for (int k = 0; k < KINDS + 2; k++)
      assert_int_equal(new[i][k], old[at[i]][k]);
    assert_int_equal(after->contexts[c->target].target, c->target);
    if (i >= CONTEXT_FIRST)
      assert_int_equal(before->contexts[at[i]].target, at[c->target]);
  }
  assert_int_equal(before->context_count, contexts);
}

/* All leaves are where leaf_of says, and at the next caller that stays. */
static void
assert_renamed(const struct context_tree *before,
               const struct context_tree *after, const uint32_t *leaf_of)
{
  static uint64_t sums[2 * MOST];
  assert_true(after->leaf_count <= 2 * MOST);
  for (uint32_t i = 0; i < after->leaf_count; i++)
    sums[i] = 0;
  for (uint32_t i = LEAF_OVERFLOW; i < before->leaf_count; i++) {
    const struct leaf *const l = &after->leaves[leaf_of[i]];
    sums[leaf_of[i]] += before->leaves[i].bytes;
    assert_int_equal(after->kinds[l->kind].what,
                     before->kinds[before->leaves[i].kind].what);
    if (l->site != (SITE_SPECIAL | SITE_RETIRED_PATHS))
      assert_int_equal(l->site, before->leaves[i].site);
  }
  for (uint32_t i = LEAF_OVERFLOW; i < after->leaf_count; i++)
    assert_int_equal(after->leaves[i].bytes, sums[i]);
}

static void
check_random(bool fold, uint32_t seed)
{
  struct context_tree before, after;
  struct arena leaf_of;
  make_tree(&before, MOST - 100, fold);
  make_tree(&after, MOST - 100, fold);
  random_state = seed;
  count_at_random(&before, 600);
  random_state = seed;
  count_at_random(&after, 600);
  assert_int_equal(before.overflowed, 0);
  assert_true(before.context_count > 500);
  after.budget = 400; /* which they are beyond */
  assert_true(context_tree_retire(&after, &leaf_of));
  assert_true(after.context_count <= 200 && after.leaf_count <= 200);
  assert_true(after.context_count > 20);
  assert_same_below(&before, &after);
  assert_renamed(&before, &after, leaf_of.base);
  arena_release(&leaf_of);
  context_tree_release(&before);
  context_tree_release(&after);
}

static void
test_same_below(void **state)
{
  (void)state;
  for (uint32_t seed = 0; seed < 200; seed++)
    check_random(seed % 2 != 0, seed);
}

/* ---- which stay ---- */

/* Count `bytes' / 16 objects in `function', called from MAIN. */
static void
count_in(struct context_tree *tree, unsigned function, uint64_t bytes)
{
  const uint32_t main_context =
      context_tree_child(tree, CONTEXT_ROOT, site(MAIN, 1));
  count(tree, context_tree_child(tree, main_context, site(function, 1)),
        site(CONS, 0), 1, bytes / 16);
}

/* The bytes at the leaf of `function', 0: it is retired. */
static uint64_t
bytes_in(const struct context_tree *tree, unsigned function)
{
  for (uint32_t i = LEAF_FIRST; i < tree->leaf_count; i++)
    if (tree->contexts[tree->leaves[i].up].site == site(function, 1) &&
        tree->leaves[i].site == site(CONS, 0))
      return tree->leaves[i].bytes;
  return 0;
}

static uint64_t
retired_bytes(const struct context_tree *tree)
{
  uint64_t bytes = 0;
  for (uint32_t i = LEAF_FIRST; i < tree->leaf_count; i++)
    if (tree->leaves[i].site == (SITE_SPECIAL | SITE_RETIRED_PATHS))
      bytes += tree->leaves[i].bytes;
  return bytes;
}

static void
retire(struct context_tree *tree)
{
  struct arena leaf_of;
  assert_true(context_tree_retire(tree, &leaf_of));
  arena_release(&leaf_of);
}

static void
test_the_highest_stay(void **state)
{
  struct context_tree tree;
  (void)state;
  make_tree(&tree, 64, true);
  for (unsigned function = 10; function < 50; function++)
    count_in(&tree, function * 10, 16 * function);
  retire(&tree);
  /* 24 stay: what is special (4), MAIN, and of 9 functions context and leaf,
     of which one more finds room without its leaf */
  for (unsigned function = 10; function < 50; function++)
    assert_int_equal(bytes_in(&tree, function * 10),
                     function >= 41 ? 16 * function : 0);
  assert_int_equal(retired_bytes(&tree), 16 * (10 + 40) * 31 / 2);
  assert_int_equal(tree.context_count, CONTEXT_FIRST + 1 + 10);
  assert_int_equal(tree.leaf_count, LEAF_FIRST + 9 + 2);
  context_tree_release(&tree);
}

/* What is not heard of any more gives way to what is, though that is less. */
static void
test_the_past_fades(void **state)
{
  struct context_tree tree;
  (void)state;
  make_tree(&tree, 64, true);
  for (unsigned i = 0; i < 8; i++)
    count_in(&tree, 100 + i, 1 << 20);
  for (unsigned round = 0; round < 12; round++) {
    count_in(&tree, 99, 1600);
    for (unsigned i = 0; i < 8; i++)
      count_in(&tree, 200 + i, 1600);
    for (unsigned i = 0; i < 30; i++)
      count_in(&tree, 1000 + 30 * round + i, 16);
    retire(&tree);
    assert_int_equal(bytes_in(&tree, 100) != 0, round < 10);
  }
  for (unsigned i = 1; i < 8; i++)
    assert_int_equal(bytes_in(&tree, 100 + i), 0);
  assert_int_equal(retired_bytes(&tree) - 8 * (1 << 20) +
                       bytes_in(&tree, 99) +
                       8 * bytes_in(&tree, 200),
                   12 * (9 * 1600 + 30 * 16));
  context_tree_release(&tree);
}

static void
test_what_is_no_function_stays(void **state)
{
  struct context_tree tree;
  uint32_t cut;
  (void)state;
  make_tree(&tree, 64, true);
  cut = context_tree_child(&tree, CONTEXT_ROOT,
                           SITE_SPECIAL | SITE_CUT_SHORT);
  count(&tree, context_tree_child(&tree, cut, site(F, 1)), site(CONS, 0), 1,
        1);
  context_tree_overflow(&tree)->count = 7;
  for (unsigned function = 10; function < 60; function++)
    count_in(&tree, function, 1600);
  retire(&tree);
  assert_int_equal(tree.contexts[CONTEXT_FIRST].site,
                   SITE_SPECIAL | SITE_CUT_SHORT);
  assert_int_equal(bytes_in(&tree, F), 0);
  for (uint32_t i = LEAF_FIRST; i < tree.leaf_count; i++)
    if (tree.leaves[i].up == CONTEXT_FIRST &&
        tree.kinds[tree.leaves[i].kind].what == 1)
      assert_int_equal(tree.leaves[i].bytes, 16);
  assert_int_equal(tree.leaves[LEAF_OVERFLOW].count, 7);
  assert_int_equal(tree.overflowed, 1);
  context_tree_release(&tree);
}

/* The last callers below a call that is folded, though nothing else is
 * counted where that goes to. */
static void
test_what_is_kept_below_folded_ones_stays(void **state)
{
  const uint64_t calls[] = {site(MAIN, 1), site(F, 1), site(G, 1),
                            site(F, 2),    site(G, 1), site(F, 3)};
  struct context_tree tree;
  uint32_t folded;
  (void)state;
  make_tree(&tree, 64, true);
  folded = follow_chain(&tree, calls, sizeof calls / sizeof *calls, NULL);
  assert_int_not_equal(tree.contexts[folded].target, folded);
  count(&tree, context_tree_child(&tree, folded, site(H, 1)), site(CONS, 0),
        1, 1000);
  for (unsigned function = 10; function < 40; function++)
    count_in(&tree, function * 10, 16 * function);
  retire(&tree);
  assert_int_equal(bytes_in(&tree, H), 16000);
  context_tree_release(&tree);
}

/* ---- when ---- */

static unsigned asked;

static void
ask(struct context_tree *tree)
{
  assert_int_equal(tree->context_count, 48);
  asked++;
}

static void
test_asked_for_in_time(void **state)
{
  struct context_tree tree;
  (void)state;
  make_tree(&tree, 64, true);
  tree.full = ask;
  for (unsigned function = 1; tree.context_count < 64; function++)
    context_tree_child(&tree, CONTEXT_ROOT, site(function, 1));
  assert_int_equal(asked, 1);
  context_tree_release(&tree);
}

/* Of objects that are all of other kinds none are taken together: it is not
 * tried over and over. */
static void
test_too_many_kinds(void **state)
{
  struct context_tree tree;
  struct arena leaf_of;
  (void)state;
  make_tree(&tree, 64, true);
  for (uint32_t size = 1; size <= 50; size++)
    context_tree_leaf(&tree, CONTEXT_ROOT, site(CONS, 0), 1, size, 0)
        ->count++;
  assert_false(context_tree_retire(&tree, &leaf_of));
  assert_true(tree.stuck);
  assert_int_equal(tree.leaf_count, LEAF_FIRST + 50);
  context_tree_clear(&tree);
  count_in(&tree, F, 16);
  retire(&tree);
  assert_int_equal(bytes_in(&tree, F), 16);
  context_tree_release(&tree);
}

int
main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_same_below),
    cmocka_unit_test(test_the_highest_stay),
    cmocka_unit_test(test_the_past_fades),
    cmocka_unit_test(test_what_is_no_function_stays),
    cmocka_unit_test(test_what_is_kept_below_folded_ones_stays),
    cmocka_unit_test(test_asked_for_in_time),
    cmocka_unit_test(test_too_many_kinds),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
