/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The context tree by itself: identity of contexts and leaves, folding of
 * recursion, the budget, merging and renaming.  A site is written as
 * function * 16 + call, so that the function of each is known.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tree/context_tree.h"
#include "common/phase.h"
#include "tree/sizes.h"

enum { MAIN = 1, F, G, H, CONS, FIRST_HIDDEN = 8, ROOT_FUNCTION = 16 };

static uint64_t
site(unsigned function, unsigned call)
{
  return function * 16u + call;
}

static uint32_t
function_of(void *closure, uint64_t s, uint32_t caller)
{
  (void)closure, (void)caller;
  return (uint32_t)(s / 16) | (s / 16 >= FIRST_HIDDEN && s / 16 < 16
                                    ? FUNCTION_HIDDEN
                                : s / 16 == ROOT_FUNCTION ? FUNCTION_ROOT
                                                          : 0);
}

static void
make_tree(struct context_tree *tree, uint32_t budget, bool fold)
{
  assert_int_equal(context_tree_init(tree, budget, fold, function_of, NULL),
                   0);
}

/* Go down a chain of sites as the walk does; gives the last context's number
 * and counts an activation on each. */
static uint32_t
enter_chain(struct context_tree *tree, const uint64_t *sites, size_t n)
{
  uint32_t up = CONTEXT_ROOT, number = CONTEXT_ROOT;
  for (size_t i = 0; i < n; i++) {
    number = context_tree_child(tree, up, sites[i]);
    tree->contexts[number].activations++;
    up = tree->contexts[number].target;
  }
  return number;
}

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

/* The paper's figure goes main F G F G.  The second F adds the arc from G to
 * F to its path, so it and the G below it are kept; the third F and the third
 * G add nothing and are the second ones. */
static void
test_mutual_recursion_keeps_arcs(void **state)
{
  const uint64_t chain[] = { site(MAIN, 1), site(F, 1), site(G, 1),
                             site(F, 1),    site(G, 1), site(F, 1),
                             site(G, 1) };
  struct context_tree tree;
  uint32_t numbers[7], up = CONTEXT_ROOT;
  (void)state;
  make_tree(&tree, 1000, true);
  for (size_t i = 0; i < 7; i++) {
    numbers[i] = context_tree_child(&tree, up, chain[i]);
    up = tree.contexts[numbers[i]].target;
  }
  for (size_t i = 0; i < 5; i++)
    assert_int_equal(tree.contexts[numbers[i]].target, numbers[i]);
  assert_int_equal(tree.contexts[numbers[5]].target, numbers[3]);
  assert_int_equal(tree.contexts[numbers[6]].target, numbers[4]);
  context_tree_release(&tree);
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
  uint64_t random = 88172645463325252ull;
  uint32_t folded = 0;
  (void)state;
  for (int round = 0; round < 2000; round++) {
    struct context_tree tree;
    struct view real, path;
    uint32_t up = CONTEXT_ROOT;
    unsigned caller = 0, shown_caller = 0;
    unsigned shown = 1 + (unsigned)round % 4, hidden = (unsigned)round / 4 % 4;
    memset(&real, 0, sizeof real);
    make_tree(&tree, 4000, true);
    for (int depth = 0; depth < 100; depth++) {
      unsigned function;
      uint32_t number;
      uint64_t called;
      const struct leaf *leaf;
      random ^= random << 13;
      random ^= random >> 7;
      random ^= random << 17;
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
  uint64_t random = 88172645463325252ull;
  uint32_t folded = 0, in_state[STATE_COUNT] = { 0 };
  (void)state;
  for (int round = 0; round < 2000; round++) {
    struct context_tree tree;
    enum phase_state real = STATE_RUN;
    unsigned functions[4];
    uint32_t up = CONTEXT_ROOT;
    assert_int_equal(
        context_tree_init(&tree, 4000, true, function_with_role, NULL), 0);
    for (int depth = -4; depth < 100; depth++) {
      uint32_t number;
      random ^= random << 13;
      random ^= random >> 7;
      random ^= random << 17;
      if (depth < 0) {
        functions[4 + depth] = 1 + (unsigned)(random >> 20) % (2 * ROLE_COUNT);
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

/* F and G have called each other before the profiled body begins; in the body
 * they do so for the first time, as reports see it. */
static void
test_folding_does_not_look_above_the_root(void **state)
{
  const uint64_t chain[] = { site(F, 1), site(G, 1), site(F, 1), site(G, 1),
                             site(ROOT_FUNCTION, 1), site(F, 1), site(G, 1),
                             site(F, 1), site(G, 1), site(F, 1) };
  struct context_tree tree;
  uint32_t numbers[10], up = CONTEXT_ROOT;
  (void)state;
  make_tree(&tree, 1000, true);
  for (size_t i = 0; i < 10; i++) {
    numbers[i] = context_tree_child(&tree, up, chain[i]);
    up = tree.contexts[numbers[i]].target;
  }
  for (size_t i = 0; i < 9; i++)
    assert_int_equal(tree.contexts[numbers[i]].target, numbers[i]);
  assert_int_equal(tree.contexts[numbers[9]].target, numbers[7]);
  context_tree_release(&tree);
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
  folded = enter_chain(&tree, chain, 4);
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

/* What the records and indices of a tree take, as they are said to be made:
 * an index is doubled when it is half full, and has no first records. */
static uint64_t
bytes_by_hand(const struct context_tree *tree)
{
  const uint64_t records[] = { tree->context_count, tree->leaf_count,
                               tree->kind_count };
  uint64_t indexed[] = { 0, 0, tree->kind_count - 1 };
  uint64_t bytes = records[0] * 48 + (records[1] + 1) * 48 + records[2] * 16;
  for (uint32_t i = CONTEXT_FIRST; i < tree->context_count; i++)
    indexed[0] += tree->contexts[tree->contexts[i].parent].first != i;
  for (uint32_t i = 1; i < tree->leaf_count; i++)
    indexed[1] += tree->contexts[tree->leaves[i].up].first_leaf != i;
  for (int i = 0; i < 3; i++) {
    uint64_t slots = SIZE_FIRST_INDEX;
    while (indexed[i] * 2 > slots - 1)
      slots *= 2;
    bytes += slots * 4;
  }
  return bytes;
}

/* Contexts and leaves one by one up to 10^5 of both: no path costs more than
 * 64 bytes at any moment.  What a tree takes for nothing: two contexts and
 * two leaves that stand for no path, a kind, and the first indices. */
static void
test_bytes_of_a_path(void **state)
{
  enum { N = 100000 };
  const uint64_t fixed =
      2 * (48 + 16) + 2 * (48 + 16) + (16 + 16) + 3 * 4 * SIZE_FIRST_INDEX;
  const unsigned contexts_in_16[] = { 0, 4, 8, 15 };
  (void)state;
  for (size_t shape = 0; shape < 4; shape++) {
    struct context_tree tree;
    uint32_t up = CONTEXT_ROOT;
    uint64_t most = 0;
    make_tree(&tree, N + 10, false);
    for (unsigned i = 0; i < N; i++) {
      uint64_t bytes, kinds, beside;
      if (i % 16 < contexts_in_16[shape])
        up = context_tree_child(&tree, up, site(F, i % 7));
      else
        context_tree_leaf(&tree, up, site(i, 1), i / 7 % 40, 16, 0);
      assert_int_equal(context_tree_paths(&tree), i + 1);
      kinds = tree.kind_count - 1;
      bytes = context_tree_bytes(&tree);
      assert_int_equal(bytes, bytes_by_hand(&tree));
      beside = fixed + 32 * kinds;
      assert_true(bytes <= beside + 64 * (uint64_t)(i + 1));
      if (i > N / 2 && bytes - beside > most * (i + 1))
        most = (bytes - beside + i) / (i + 1);
    }
    assert_int_equal(tree.overflowed, 0);
    /* the bound is no higher than need be */
    if (shape == 0)
      assert_int_equal(most, 64);
    context_tree_clear(&tree);
    assert_int_equal(context_tree_bytes(&tree), bytes_by_hand(&tree));
    context_tree_release(&tree);
  }
}

/* What finds no room goes to the overflow context, and nothing is lost:
 * too many contexts, then too many kinds of objects. */
static void
count_beyond_budget(unsigned contexts, unsigned sizes)
{
  struct context_tree tree;
  uint64_t counted = 0, overflow = 0;
  make_tree(&tree, 16, true);
  for (unsigned i = 0; i < contexts; i++)
    for (unsigned size = 1; size <= sizes; size++) {
      struct leaf *leaf = context_tree_leaf(
          &tree, context_tree_child(&tree, CONTEXT_ROOT, site(i + 1, 0)),
          site(CONS, 0), 1, size, 0);
      assert_non_null(leaf);
      leaf->count++;
    }
  assert_true(tree.context_count <= 16);
  assert_true(tree.leaf_count <= 16);
  assert_true(tree.overflowed > 0);
  for (uint32_t i = 1; i < tree.leaf_count; i++) {
    counted += tree.leaves[i].count;
    if (tree.leaves[i].up == CONTEXT_OVERFLOW)
      overflow += tree.leaves[i].count;
  }
  assert_int_equal(tree.leaves[tree.budget].up, CONTEXT_OVERFLOW);
  counted += tree.leaves[tree.budget].count;
  overflow += tree.leaves[tree.budget].count;
  assert_int_equal(counted, contexts * sizes);
  assert_true(overflow > 0);
  context_tree_release(&tree);
}

static void
test_budget(void **state)
{
  (void)state;
  count_beyond_budget(1000, 1);
  count_beyond_budget(1, 1000);
  count_beyond_budget(100, 10);
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

static void
add_count(void *closure, const struct leaf *leaf, const struct kind *kind)
{
  (void)kind;
  *(uint64_t *)closure += leaf->count;
}

static void
test_merge_adds_up(void **state)
{
  const uint64_t a[] = { site(MAIN, 1), site(F, 1), site(F, 1), site(F, 1) };
  const uint64_t b[] = { site(MAIN, 1), site(F, 1), site(G, 1) };
  struct context_tree one, two;
  uint32_t last;
  uint64_t beyond = 0;
  (void)state;
  make_tree(&one, 100, true);
  make_tree(&two, 100, true);
  enter_chain(&one, a, 4);
  last = enter_chain(&two, b, 3);
  enter_chain(&two, a, 4);
  context_tree_leaf(&two, last, site(CONS, 0), 1, 16, 0)->count = 5;
  context_tree_leaf(&one,
                    context_tree_child(
                        &one,
                        context_tree_child(
                            &one,
                            context_tree_child(&one, CONTEXT_ROOT,
                                               site(MAIN, 1)),
                            site(F, 1)),
                        site(G, 1)),
                    site(CONS, 0), 1, 16, 0)
      ->count = 2;
  assert_true(context_tree_merge(&one, &two, add_count, &beyond));
  assert_int_equal(beyond, 0);
  {
    uint32_t up = CONTEXT_ROOT, number = 0;
    for (size_t i = 0; i < 3; i++)
      up = number = context_tree_child(&one, up, b[i]);
    assert_int_equal(one.contexts[number].activations, 1);
    assert_int_equal(
        context_tree_leaf(&one, up, site(CONS, 0), 1, 16, 0)->count, 7);
    number = context_tree_child(&one, CONTEXT_ROOT, site(MAIN, 1));
    assert_int_equal(one.contexts[number].activations, 3);
  }
  context_tree_release(&one);
  context_tree_release(&two);
}

/* What a merge finds no room for is told of, and nothing is lost. */
static void
test_merge_beyond_the_budget(void **state)
{
  struct context_tree one, two;
  uint64_t kept = 0, beyond = 0;
  (void)state;
  make_tree(&one, 16, true);
  make_tree(&two, 100, true);
  for (uint32_t size = 1; size <= 40; size++)
    context_tree_leaf(&two, CONTEXT_ROOT, site(CONS, 0), 1, size, 0)->count =
        size;
  assert_true(context_tree_merge(&one, &two, add_count, &beyond));
  for (uint32_t i = 1; i < one.leaf_count; i++)
    kept += one.leaves[i].count;
  assert_int_equal(one.leaf_count, 16);
  assert_int_equal(kept, 15 * 16 / 2);
  assert_int_equal(beyond, 40 * 41 / 2 - 15 * 16 / 2);
  assert_int_equal(one.leaves[one.budget].count, beyond);
  context_tree_release(&one);
  context_tree_release(&two);
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
    cmocka_unit_test(test_self_recursion_is_bounded),
    cmocka_unit_test(test_mutual_recursion_keeps_arcs),
    cmocka_unit_test(test_folding_keeps_functions_and_arcs),
    cmocka_unit_test(test_folding_keeps_phases),
    cmocka_unit_test(test_folding_does_not_look_above_the_root),
    cmocka_unit_test(test_below_a_folded_context_nothing_is_folded),
    cmocka_unit_test(test_unfolded_keeps_every_frame),
    cmocka_unit_test(test_bytes_of_a_path),
    cmocka_unit_test(test_budget),
    cmocka_unit_test(test_many_contexts_survive_growth),
    cmocka_unit_test(test_merge_adds_up),
    cmocka_unit_test(test_merge_beyond_the_budget),
    cmocka_unit_test(test_renamed_sites),
    cmocka_unit_test(test_clear),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
