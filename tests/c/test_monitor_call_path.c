/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Paths are numbers: equal ones are the same, and what two have in common is
 * counted from the mark on.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "call_path.h"

static struct call_paths paths;

static int
set_up(void **state)
{
  (void)state;
  return call_paths_init(&paths);
}

static int
tear_down(void **state)
{
  (void)state;
  call_paths_release(&paths);
  return 0;
}

static void
the_same_path_is_the_same_number(void **state)
{
  uint32_t a, b, ab, ba;
  (void)state;
  assert_int_equal(call_path_child(&paths, 0, 1000, false), 0);
  a = call_path_child(&paths, 0, 1000, true);
  b = call_path_child(&paths, 0, 2000, true);
  ab = call_path_child(&paths, a, 2000, true);
  ba = call_path_child(&paths, b, 1000, true);
  assert_true(a != 0 && b != 0 && ab != 0 && ba != 0);
  assert_true(a != b && a != ab && a != ba && b != ab && b != ba && ab != ba);
  assert_int_equal(call_path_child(&paths, 0, 1000, true), a);
  assert_int_equal(call_path_child(&paths, a, 2000, false), ab);
  assert_int_equal(call_path_child(&paths, ab, 2000, false), 0);
}

static void
what_they_have_in_common(void **state)
{
  const uint32_t a = call_path_child(&paths, 0, 1000, true),
                 ab = call_path_child(&paths, a, 2000, true),
                 abc = call_path_child(&paths, ab, 3000, true),
                 abd = call_path_child(&paths, ab, 4000, true),
                 ac = call_path_child(&paths, a, 3000, true),
                 b = call_path_child(&paths, 0, 2000, true),
                 bb = call_path_child(&paths, b, 2000, true);
  (void)state;
  assert_int_equal(call_path_common(&paths, 0, 0), 0);
  assert_int_equal(call_path_common(&paths, 0, abc), 0);
  assert_int_equal(call_path_common(&paths, abc, 0), 0);
  assert_int_equal(call_path_common(&paths, abc, abc), 3);
  assert_int_equal(call_path_common(&paths, abc, abd), 2);
  assert_int_equal(call_path_common(&paths, ab, abd), 2);
  assert_int_equal(call_path_common(&paths, abc, ac), 1);
  assert_int_equal(call_path_common(&paths, abc, bb), 0);
  assert_int_equal(call_path_common(&paths, bb, ab), 0);
}

static void
a_full_table(void **state)
{
  uint32_t first, last = 0;
  (void)state;
  first = call_path_child(&paths, 0, 1, true);
  for (uint64_t site = 1; site <= CALL_PATHS; site++) {
    uint32_t path = call_path_child(&paths, 0, site, true);
    assert_int_equal(path != 0, site <= CALL_PATHS / 4 * 3);
    last = path != 0 ? path : last;
  }
  assert_int_equal(call_path_child(&paths, 0, 1, true), first);
  assert_int_equal(call_path_child(&paths, 0, CALL_PATHS / 4 * 3, true), last);
  assert_int_equal(call_path_child(&paths, first, 1, true), 0);
}

int
main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test_setup_teardown(the_same_path_is_the_same_number, set_up,
                                    tear_down),
    cmocka_unit_test_setup_teardown(what_they_have_in_common, set_up,
                                    tear_down),
    cmocka_unit_test_setup_teardown(a_full_table, set_up, tear_down),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
