/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Folding of recursion in context trees: which contexts of a chain are those
 * of an earlier call, and that what reports say of functions, arcs and phases
 * is the same as without.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "common/phase.h"
#include "context_tree_fixture.h"

/* main F F F ...: the second F is kept, for only then does the path have the
 * arc from F to F; from the third on it is the second. */
static void
test_self_recursion_is_bounded(void **state)
{
  struct context_tree tree;
  uint32_t up, second, contexts;
  (void)state;
  make_tree(&tree, 1000, true);
  up = context_tree_child(&tree, CONTEXT_ROOT, site(MAIN, 1));
  up = context_tree_child(&tree, up, site(F, 1));
  second = context_tree_child(&tree, up, site(F, 1));
  assert_int_equal(tree.contexts[second].target, second);
  up = second;
  for (int depth = 3; depth < 100000; depth++) {
    uint32_t number = context_tree_child(&tree, up, site(F, 1));
    tree.contexts[number].activations++;
    up = tree.contexts[number].target;
    assert_int_equal(up, second);
  }
  contexts = tree.context_count - CONTEXT_FIRST;
  assert_int_equal(contexts, 4); /* main, F, F, and the edge back */
  assert_int_equal(tree.contexts[tree.context_count - 1].activations, 99997);
  context_tree_release(&tree);
}

/* Of the context of each call of CHAIN the target is that of the call TARGETS
 * says. */
static void
check_targets(const uint64_t *chain, const size_t *targets, size_t n)
{
  struct context_tree tree;
  uint32_t numbers[10];
  make_tree(&tree, 1000, true);
  follow_chain(&tree, chain, n, numbers);
  for (size_t i = 0; i < n; i++)
    assert_int_equal(tree.contexts[numbers[i]].target, numbers[targets[i]]);
  context_tree_release(&tree);
}

/* The paper's figure goes main F G F G.  The second F adds the arc from G to
 * F to its path, so it and the G below it are kept; the third F and the third
 * G add nothing and are the second ones. */
static void
test_mutual_recursion_keeps_arcs(void **state)
{
  const uint64_t chain[] = { site(MAIN, 1), site(F, 1), site(G, 1),
                             site(F, 1),    site(G, 1), site(F, 1),
                             site(G, 1) };
  const size_t targets[] = { 0, 1, 2, 3, 4, 3, 4 };
  (void)state;
  check_targets(chain, targets, 7);
}

/* F and G have called each other before the profiled body begins; in the body
 * they do so for the first time, as reports see it. */
static void
test_folding_does_not_look_above_the_root(void **state)
{
  const uint64_t chain[] = { site(F, 1), site(G, 1), site(F, 1), site(G, 1),
                             site(ROOT_FUNCTION, 1), site(F, 1), site(G, 1),
                             site(F, 1), site(G, 1), site(F, 1) };
  const size_t targets[] = { 0, 1, 2, 3, 4, 5, 6, 7, 8, 7 };
  (void)state;
  check_targets(chain, targets, 10);
}

/* F calls itself again and again: what is below the folded context stays as
 * it is, and whoever goes on from its target finds no more contexts. */
static void
test_below_a_folded_context_nothing_is_folded(void **state)
{
  const uint64_t chain[] = { site(MAIN, 1), site(F, 1), site(F, 1),
                             site(F, 1) };
  struct context_tree tree;
  uint32_t folded, up, count;
  (void)state;
  make_tree(&tree, 1000, true);
  folded = follow_chain(&tree, chain, 4, NULL);
  assert_int_not_equal(tree.contexts[folded].target, folded);
  count = tree.context_count;
  up = folded;
  for (uint32_t i = 0; i < 5; i++) {
    const uint32_t below = context_tree_child(&tree, up, site(F, 1));
    assert_int_equal(below, count + i);
    assert_int_equal(tree.contexts[below].parent, up);
    assert_int_equal(tree.contexts[below].target, below);
    up = below;
  }
  assert_int_equal(context_tree_child(&tree, tree.contexts[folded].target,
                                      site(F, 1)),
                   folded);
  assert_int_equal(tree.context_count, count + 5);
  context_tree_release(&tree);
}

static void
test_unfolded_keeps_every_frame(void **state)
{
  struct context_tree tree;
  uint32_t up = CONTEXT_ROOT;
  (void)state;
  make_tree(&tree, 5000, false);
  for (int depth = 0; depth < 1000; depth++) {
    uint32_t number = context_tree_child(&tree, up, site(F, 1));
    assert_int_equal(tree.contexts[number].target, number);
    up = number;
  }
  assert_int_equal(context_tree_leaf(&tree, up, site(F, 2), 1, 16, 0)->target,
                   up);
  assert_int_equal(tree.context_count - CONTEXT_FIRST, 1000);
  context_tree_release(&tree);
}

/* Numbers made by chance, the same in each run. */
static const uint64_t first_random = 88172645463325252ull;

static void
make_random(uint64_t *random)
{
  *random ^= *random << 13;
  *random ^= *random >> 7;
  *random ^= *random << 17;
}

/* What reports make of a chain: its functions and arcs, once with all
 * functions and once without the hidden ones. */
struct view {
  bool functions[16], arcs[16][16], shown_arcs[16][16];
};

static void
add_call(struct view *view, unsigned *caller, unsigned *shown_caller,
         unsigned function)
{
  view->functions[function] = true;
  view->arcs[*caller][function] = true;
  *caller = function;
  if (function < FIRST_HIDDEN) {
    view->shown_arcs[*shown_caller][function] = true;
    *shown_caller = function;
  }
}

static void
view_of_path(const struct context_tree *tree, uint32_t number,
             struct view *view)
{
  uint32_t path[4000];
  unsigned caller = 0, shown_caller = 0;
  size_t n = 0;
  memset(view, 0, sizeof *view);
  for (uint32_t i = number; i != CONTEXT_ROOT; i = tree->contexts[i].parent)
    path[n++] = i;
  while (n-- > 0)
    add_call(view, &caller, &shown_caller,
             tree->contexts[path[n]].function & ~FUNCTION_HIDDEN);
}

/* Over random chains, functions FIRST_HIDDEN and up being hidden: the folded
 * path has the functions and arcs of the real one in both views, no more and
 * no fewer.  A leaf is folded like a call at its place. */
static void
test_folding_keeps_functions_and_arcs(void **state)
{
  uint64_t random = first_random;
  uint32_t folded = 0;
  (void)state;
  for (int round = 0; round < 2000; round++) {
    struct context_tree tree;
    struct view real, path;
    uint32_t up = CONTEXT_ROOT;
    unsigned caller = 0, shown_caller = 0;
    unsigned shown = 1 + (unsigned)round % 4;
    unsigned hidden = (unsigned)round / 4 % 4;
    memset(&real, 0, sizeof real);
    make_tree(&tree, 4000, true);
    for (int depth = 0; depth < 100; depth++) {
      unsigned function;
      uint32_t number;
      uint64_t called;
      const struct leaf *leaf;
      make_random(&random);
      function = (unsigned)(random % (shown + hidden));
      function = function < shown ? 1 + function
                                  : FIRST_HIDDEN + function - shown;
      add_call(&real, &caller, &shown_caller, function);
      called = site(function, (unsigned)(random >> 40) % 2);
      leaf = context_tree_leaf(&tree, up, called, 1, 16, 0);
      number = context_tree_child(&tree, up, called);
      up = tree.contexts[number].target;
      assert_int_equal(leaf->target, tree.contexts[up].parent);
      assert_int_equal(leaf->function, tree.contexts[up].function);
      folded += up != number;
      view_of_path(&tree, up, &path);
      assert_memory_equal(&path, &real, sizeof real);
    }
    context_tree_release(&tree);
  }
  assert_true(folded > 50000); /* or it tested nothing */
}

/* Functions with a role each, from 1 on: every role twice. */
static uint32_t
function_with_role(void *closure, uint64_t s, uint32_t caller)
{
  uint32_t function = (uint32_t)(s / 16);
  (void)closure, (void)caller;
  return function | (function - 1) % ROLE_COUNT << FUNCTION_ROLE_SHIFT;
}

static enum phase_state
state_of_path(const struct context_tree *tree, uint32_t number)
{
  const struct context *c = &tree->contexts[number];
  if (number == CONTEXT_ROOT)
    return STATE_RUN;
  return phase_next(state_of_path(tree, c->parent),
                    (enum phase_role)FUNCTION_ROLE(c->function));
}

/* Over random chains of a few functions: the folded path is in the state of
 * the phases that the real one is in. */
static void
test_folding_keeps_phases(void **state)
{
  uint64_t random = first_random;
  uint32_t folded = 0, in_state[STATE_COUNT] = { 0 };
  (void)state;
  for (int round = 0; round < 2000; round++) {
    struct context_tree tree;
    enum phase_state real = STATE_RUN;
    unsigned functions[4];
    uint32_t up = CONTEXT_ROOT;
    assert_int_equal(
        context_tree_init(&tree, 4000, true, function_with_role, NULL,
                          NULL), 0);
    for (int depth = -4; depth < 100; depth++) {
      uint32_t number;
      make_random(&random);
      if (depth < 0) {
        functions[4 + depth] =
            1 + (unsigned)(random >> 20) % (2 * ROLE_COUNT);
        continue;
      }
      number = context_tree_child(
          &tree, up,
          site(functions[(random >> 20) % (2 + (unsigned)round % 3)],
               (unsigned)(random >> 40) % 2));
      real = phase_next(real, (enum phase_role)FUNCTION_ROLE(
                                  tree.contexts[number].function));
      up = tree.contexts[number].target;
      if (up != number) {
        folded++;
        in_state[real]++;
      }
      assert_int_equal(tree.contexts[up].state, real);
      assert_int_equal(state_of_path(&tree, up), real);
    }
    context_tree_release(&tree);
  }
  assert_true(folded > 50000); /* or it tested nothing */
  for (int i = 0; i < STATE_COUNT; i++)
    assert_true(in_state[i] > 100);
}

int
main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_self_recursion_is_bounded),
    cmocka_unit_test(test_mutual_recursion_keeps_arcs),
    cmocka_unit_test(test_folding_does_not_look_above_the_root),
    cmocka_unit_test(test_below_a_folded_context_nothing_is_folded),
    cmocka_unit_test(test_unfolded_keeps_every_frame),
    cmocka_unit_test(test_folding_keeps_functions_and_arcs),
    cmocka_unit_test(test_folding_keeps_phases),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
