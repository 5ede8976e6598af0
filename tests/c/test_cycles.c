/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Recursion and cycles against figures worked out by hand, for the profiles
 * of example_profiles.h that tests/golden prints.
 *
 * Each comment first follows the chains: bytes of a function or of a pair are
 * those of the chains that it is on, each counted once.  Then the cycle as
 * one function: its bytes are those of the chains with any member, calls from
 * outside are calls of members by others or by nobody, calls inside are those
 * of members by members.
 */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "attempting.h"
#include "example_profiles.h"
#include "graph_fixture.h"

/* The cycle with the number NUMBER, which has MEMBERS functions. */
static void
check_cycle(const struct fixture *f, size_t number, size_t members,
            uint64_t self_bytes, uint64_t bytes, uint64_t root_bytes)
{
  assert_true(number <= f->reduction.cycles.count);
  const struct cycle *cycle = &f->reduction.cycles.items[number - 1];
  assert_int_equal(cycle->member_count, members);
  assert_int_equal(cycle->self.bytes, self_bytes);
  assert_int_equal(cycle->inclusive.bytes, bytes);
  assert_int_equal(cycle->root.bytes, root_bytes);
}

static void
check_cycle_calls(const struct fixture *f, size_t number, uint64_t outside,
                  uint64_t inside, uint64_t root)
{
  const struct cycle *cycle = &f->reduction.cycles.items[number - 1];
  assert_int_equal(cycle->outside_calls, outside);
  assert_int_equal(cycle->inside_calls, inside);
  assert_int_equal(cycle->root_calls, root);
}

/* MAIN/F/G/F/G allocates 10 bytes.  One chain: every function and every pair
 * has 10, however often the chain passes it.  By pairs alone, as the paper
 * says, F would seem to have had 20 from G: F calls G twice on the chain.
 *
 * The cycle of F and G: 10 bytes, all of them G's own.  Calls: 1 from MAIN; G
 * by F twice and F by G once, 3 inside. */
static void
recursion_of_the_paper(void **state)
{
  struct fixture f = {0};
  (void)state;
  add_file(&f, example_recursion());
  reduce(&f);
  check_node(&f, "MAIN", 0, 10, 1);
  check_node(&f, "F", 0, 10, 2);
  check_node(&f, "G", 10, 10, 2);
  check_arc(&f, "MAIN", "F", 10, 1);
  check_arc(&f, "F", "G", 10, 2); /* not 20 */
  check_arc(&f, "G", "F", 10, 1);
  assert_int_equal(f.reduction.graph.arc_count, 3);
  assert_int_equal(f.reduction.cycles.count, 1);
  check_cycle(&f, 1, 2, 10, 10, 0);
  check_cycle_calls(&f, 1, 1, 3, 0);
  assert_int_equal(node(&f, "MAIN")->cycle, 0);
  assert_int_equal(node(&f, "F")->cycle, 1);
  assert_int_equal(node(&f, "G")->cycle, 1);
  done(&f);
}

/* Without G the chain is MAIN/F/F: F allocates the 10 bytes, and calls itself
 * once.  The calls of G are nobody's. */
static void
recursion_without_one_member(void **state)
{
  struct fixture f = {.options = {SELECT(HIDE, "^G$")}};
  (void)state;
  add_file(&f, example_recursion());
  reduce(&f);
  check_node(&f, "MAIN", 0, 10, 1);
  check_node(&f, "F", 10, 10, 1 + 1);
  check_arc(&f, "MAIN", "F", 10, 1);
  check_arc(&f, "F", "F", 10, 1);
  assert_int_equal(f.reduction.cycles.count, 0);
  done(&f);
}

/* F is on both chains, 64 + 16; the pair F, F on the first.  F is called
 * twice by MAIN, five times by itself; that is no cycle. */
static void
self_recursion_is_no_cycle(void **state)
{
  struct fixture f = {0};
  (void)state;
  add_file(&f, example_self_recursion());
  reduce(&f);
  check_node(&f, "MAIN", 0, 80, 1);
  check_node(&f, "F", 80, 80, 2 + 5);
  check_arc(&f, "F", "F", 64, 5);
  check_arc(&f, "MAIN", "F", 80, 2);
  assert_int_equal(f.reduction.cycles.count, 0);
  assert_int_equal(
      call_graph_self_calls(&f.reduction.graph, node_index(&f, "F")), 5);
  done(&f);
}

/* Chains: MAIN/A/B/C/B/A 16, MAIN/A/B/OUT 32.  The pairs A, B and B, A close
 * one circle, B, C and C, B another; sharing B, they are one cycle of three.
 * Its bytes are those of both chains, 48, and 16 its own (the inner A).
 *
 * Calls: A by MAIN 2; inside B by A 3, C by B 4, B by C 5, A by B 6. */
static void
nested_cycles_merge(void **state)
{
  struct fixture f = {0};
  (void)state;
  add_file(&f, example_nested_cycles());
  reduce(&f);
  check_node(&f, "MAIN", 0, 48, 1);
  check_node(&f, "A", 16, 48, 2 + 6);
  check_node(&f, "B", 0, 48, 3 + 5);
  check_node(&f, "C", 0, 16, 4);
  check_node(&f, "OUT", 32, 32, 7);
  check_arc(&f, "A", "B", 48, 3);
  check_arc(&f, "B", "C", 16, 4);
  check_arc(&f, "C", "B", 16, 5);
  check_arc(&f, "B", "A", 16, 6);
  check_arc(&f, "B", "OUT", 32, 7);
  assert_int_equal(f.reduction.cycles.count, 1);
  check_cycle(&f, 1, 3, 16, 48, 0);
  check_cycle_calls(&f, 1, 2, 3 + 4 + 5 + 6, 0);
  assert_int_equal(node(&f, "OUT")->cycle, 0);
  done(&f);
}

/* Chains: A/B/A 16, B/A/B 32.  Both are on both, and so is either pair.  All
 * 48 bytes begin in the cycle.  Calls: A 3 and B 4 by nobody, B by A 5, A by
 * B 6. */
static void
cycle_without_caller(void **state)
{
  struct fixture f = {0};
  (void)state;
  add_file(&f, example_rootless_cycle());
  reduce(&f);
  check_node(&f, "A", 16, 48, 3 + 6);
  check_node(&f, "B", 32, 48, 4 + 5);
  check_arc(&f, "A", "B", 48, 5);
  check_arc(&f, "B", "A", 48, 6);
  assert_int_equal(node(&f, "A")->root.bytes, 16);
  assert_int_equal(node(&f, "B")->root.bytes, 32);
  assert_int_equal(f.reduction.cycles.count, 1);
  check_cycle(&f, 1, 2, 48, 48, 48);
  check_cycle_calls(&f, 1, 3 + 4, 5 + 6, 3 + 4);
  done(&f);
}

/* Chains:
 *
 *   160  MAIN/A/B/A/C/D/D/C/E
 *    80  MAIN/A/B
 *    32  A/C/D
 *    16  MAIN/E
 *    48  MAIN/B/A
 *
 * A 160 + 80 + 32 + 48 = 320, 48 its own; B 160 + 80 + 48 = 288, 80 its own;
 * C and D 160 + 32 = 192, 32 D's own; E 160 + 16, all its own; MAIN all but
 * the 32.  A, B 160 + 80; B, A 160 + 48; A, C 192; D, D and D, C 160.
 *
 * A and B: 320 bytes, 80 + 48 their own, 32 of them begin there; calls 2 by
 * nobody, 3 + 4 by MAIN, 5 + 6 inside.  C and D: 192 bytes, 32 their own, all
 * for A; calls 7 by A, 8 + 9 + 10 inside. */
static void
two_cycles(void **state)
{
  struct fixture f = {0};
  (void)state;
  add_file(&f, example_two_cycles());
  reduce(&f);
  check_node(&f, "MAIN", 0, 304, 1);
  check_node(&f, "A", 48, 320, 2 + 3 + 6);
  check_node(&f, "B", 80, 288, 4 + 5);
  check_node(&f, "C", 0, 192, 7 + 10);
  check_node(&f, "D", 32, 192, 8 + 9);
  check_node(&f, "E", 176, 176, 11 + 12);
  check_arc(&f, "A", "B", 240, 5);
  check_arc(&f, "B", "A", 208, 6);
  check_arc(&f, "A", "C", 192, 7);
  check_arc(&f, "D", "C", 160, 10);
  check_arc(&f, "D", "D", 160, 9);
  assert_int_equal(f.reduction.cycles.count, 2);
  check_cycle(&f, 1, 2, 128, 320, 32);
  check_cycle_calls(&f, 1, 2 + 3 + 4, 5 + 6, 2);
  check_cycle(&f, 2, 2, 32, 192, 0);
  check_cycle_calls(&f, 2, 7, 8 + 9 + 10, 0);
  assert_int_equal(node(&f, "B")->cycle, 1);
  assert_int_equal(node(&f, "C")->cycle, 2);
  assert_int_equal(node(&f, "E")->cycle, 0);
  done(&f);
}

/* Without B the chains are MAIN/A/A/C/D/D/C/E 160, MAIN/A 80, A/C/D 32,
 * MAIN/E 16, MAIN/A 48.  A has B's bytes too, 80 + 48 its own, and calls
 * itself as often as B called it, 6 times; the first cycle is none any more,
 * the second is as it was. */
static void
two_cycles_without_one_member(void **state)
{
  struct fixture f = {.options = {SELECT(HIDE, "^B$")}};
  (void)state;
  add_file(&f, example_two_cycles());
  reduce(&f);
  check_node(&f, "MAIN", 0, 304, 1);
  check_node(&f, "A", 128, 320, 2 + 3 + 6);
  check_arc(&f, "MAIN", "A", 160 + 80 + 48, 3);
  check_arc(&f, "A", "A", 160, 6);
  check_arc(&f, "A", "C", 192, 7);
  assert_int_equal(f.reduction.cycles.count, 1);
  check_cycle(&f, 1, 2, 32, 192, 0);
  check_cycle_calls(&f, 1, 7, 8 + 9 + 10, 0);
  done(&f);
}

/* Of the allocations below C two chains are left, 160 and 32.  The first
 * cycle has both, nothing of them its own, and 32 begin there.  Calls are all
 * calls of what is left: not those of B and E by MAIN, which are on neither
 * chain. */
static void
two_cycles_in_focus(void **state)
{
  struct fixture f = {.options = {SELECT(FOCUS, "^C$")}};
  (void)state;
  add_file(&f, example_two_cycles());
  reduce(&f);
  check_node(&f, "MAIN", 0, 160, 1);
  check_node(&f, "A", 0, 192, 2 + 3 + 6);
  check_node(&f, "B", 0, 160, 5);
  check_node(&f, "D", 32, 192, 8 + 9);
  check_node(&f, "E", 160, 160, 11);
  check_arc(&f, "A", "B", 160, 5);
  check_arc(&f, "B", "A", 160, 6);
  assert_null(find_arc(&f, "MAIN", "B"));
  assert_null(find_arc(&f, "MAIN", "E"));
  assert_int_equal(f.reduction.cycles.count, 2);
  check_cycle(&f, 1, 2, 0, 192, 32);
  check_cycle_calls(&f, 1, 2 + 3, 5 + 6, 2);
  check_cycle(&f, 2, 2, 32, 192, 0);
  done(&f);
}

/* A long chain, and one component of that length: neither search nor sums
 * may recurse. */
static void
deep_chain(void **state)
{
  struct fixture f = {0};
  struct builder *b = builder_new("lisp");
  char chain[4096] = "";
  (void)state;
  for (int i = 0; i < 60; i++)
    sprintf(chain + strlen(chain), "F%d/", i);
  strcat(chain, "F0");
  builder_cons(b, chain, 1);
  add_file(&f, b);
  reduce(&f);
  assert_int_equal(f.reduction.cycles.count, 1);
  assert_int_equal(f.reduction.cycles.items[0].member_count, 60);
  done(&f);
}

int
main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(recursion_of_the_paper),
      cmocka_unit_test(recursion_without_one_member),
      cmocka_unit_test(self_recursion_is_no_cycle),
      cmocka_unit_test(nested_cycles_merge),
      cmocka_unit_test(cycle_without_caller),
      cmocka_unit_test(two_cycles),
      cmocka_unit_test(two_cycles_without_one_member),
      cmocka_unit_test(two_cycles_in_focus),
      cmocka_unit_test(deep_chain),
  };
  return RUN_IN_ATTEMPT(tests, NULL, NULL);
}
