/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Call chains of recursion, of calls from several places and of paths in
 * turns; what is forgotten; and the rules for single frames.
 * (test_malloc_odd_stacks.c has stacks that change in other ways.)
 */
#include "call_chain_fixture.h"
#include "code/frame_rule.h"
#include "tree/context_tree.h"

static void
test_recursion(void **state)
{
  (void)state;
  for (int i = 0; i < 5; i++)
    recurse(100);
  walks = known_frames = 0;
  recurse(2000);
  assert_true(known_frames > walks * 100); /* it is known what was walked */
}

/* Two functions with frames of one size, this one and `first', called from
 * one place by a pointer; and one function, called from two places at one
 * depth. */
static NOINLINE void
second(int n)
{
  volatile int room[4] = { n, n, n, n };
  walk();
  walk();
  sink = room[n & 3];
}

static NOINLINE void
between(void (*function)(int), int n)
{
  if (n % 2 == 0)
    function(n);
  else
    function(n + 1);
  sink = n;
}

static void
test_alternating(void **state)
{
  (void)state;
  for (int i = 0; i < 200; i++) {
    between(i % 3 == 0 ? first : second, i);
    if (i % 4 == 0)
      first(i);
  }
}

/* Paths that begin alike and part further out, in turns: eight callers in
 * each of three levels, whose frames are of one size. */
typedef void level(int);

#define CALLER(n)                                                            \
  static NOINLINE void caller##n(int path)                                   \
  {                                                                          \
    pass(path);                                                              \
    sink = n;                                                                \
  }

static NOINLINE void pass(int path);
CALLER(0)
CALLER(1)
CALLER(2)
CALLER(3)
CALLER(4)
CALLER(5)
CALLER(6)
CALLER(7)

static NOINLINE void
pass(int path)
{
  static level *const callers[] = { caller0, caller1, caller2, caller3,
                                    caller4, caller5, caller6, caller7 };
  if (path == 1)
    walk();
  else
    callers[path & 7](path >> 3);
  sink = path;
}

static void
test_turns(void **state)
{
  (void)state;
  forget_all();
  known_walks = 0;
  for (int i = 0; i < 4000; i++)
    pass(1 << 9 | i * 167 % 64);
  assert_true(known_walks > 3000);
  for (int i = 0; i < 4000; i++)
    pass(1 << 9 | i * 167 % 512);
}

/* From a call that is not known to one that is. */
static void
test_forgotten(void **state)
{
  (void)state;
  for (int i = 0; i < 20; i++) {
    recurse(20);
    if (i % 2 == 0)
      call_chain_forget(&chain);
    known_walks = known_frames = 0;
    walk();
    assert_true(i % 2 != 0 || (known_walks == 0 && known_frames == 0));
  }
}

/* Code without call-frame information that has no frame pointer: what was
 * read is an address of nothing, and looks like a special site. */
static void
test_no_return_address(void **state)
{
  static const uint64_t words[] = { UINT64_C(0x6b21f53fa3a51500),
                                    SITE_RETIRED, SITE_SPECIAL,
                                    UINT64_C(1) << 56 };
  uintptr_t stack[4] = { 0 };
  (void)state;
  for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
    const struct known_path *path;
    call_chain_forget(&chain);
    stack[3] = words[i];
    path = call_chain_walk(&chain, (uintptr_t)&sink, (uintptr_t)stack,
                           (uintptr_t)&stack[2]);
    assert_false(path->complete);
    assert_int_equal(chain.depth, 2);
  }
  call_chain_forget(&chain);
}

static void
test_rules(void **state)
{
  const uintptr_t here = (uintptr_t)recurse;
  struct frame_rule rule = frame_rule_at(here);
  (void)state;
  /* at the first instruction */
  assert_int_equal(rule.base, FRAME_FROM_STACK);
  assert_int_equal(rule.offset, 8);
  assert_int_equal(rule.saved, 0);
  assert_int_equal(frame_rule_function(here), here);
  assert_int_equal(frame_rule_function(here + 1), here);
  assert_int_equal(frame_rule_at(0).base, FRAME_UNKNOWN);
  assert_int_equal(frame_rule_function(0), 0);
  assert_int_equal(frame_rule_at((uintptr_t)&sink).base, FRAME_UNKNOWN);
}

int
main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_rules),
    cmocka_unit_test(test_recursion),
    cmocka_unit_test(test_alternating),
    cmocka_unit_test(test_turns),
    cmocka_unit_test(test_forgotten),
    cmocka_unit_test(test_no_return_address),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
