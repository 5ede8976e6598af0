/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * test_monitor_live_table.c -- deaths by leaf and by age: where they are
 * counted, and without memory.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <sys/resource.h>

#include <cmocka.h>

#include "lisp/live/live_table.h"

enum { LEAVES = 5000 };

static struct live_survival sums[LEAVES];

static struct live_entry
entry_of(uint64_t age, enum live_kind kind, uint64_t bytes, uint32_t leaf)
{
  return (struct live_entry){.memory = (uint64_t)kind << LIVE_KIND_SHIFT |
                                       age << LIVE_AGE_SHIFT |
                                       bytes >> 32 << LIVE_SIZE_SHIFT,
                             .leaf = LIVE_LEAF_UNITS * leaf,
                             .bytes = (uint32_t)bytes};
}

static void
die(struct live_table *t, uint64_t age, enum live_kind kind, uint64_t bytes,
    uint32_t leaf)
{
  const struct live_entry e = entry_of(age, kind, bytes, leaf);
  live_table_add_death(t, &e);
}

static void
sum(const struct live_table *t)
{
  memset(sums, 0, sizeof sums);
  live_table_sum_deaths(t, sums);
}

static void
assert_died(uint32_t leaf, unsigned band, uint64_t objects, uint64_t bytes)
{
  assert_int_equal(sums[leaf].died[band].objects, objects);
  assert_int_equal(sums[leaf].died[band].bytes, bytes);
}

static void
bands(void **state)
{
  static const unsigned expected[] = {0, 1, 2, 2, 3, 3, 3, 3, 4, 4};
  (void)state;
  for (unsigned age = 0; age < sizeof expected / sizeof *expected; age++)
    assert_int_equal(live_band(age), expected[age]);
  assert_int_equal(live_band(255), 4);
}

static void
counted_by_leaf_and_age(void **state)
{
  struct live_table t = {0};
  (void)state;
  die(&t, 1, LIVE_OBJECT, 16, 1);
  die(&t, 1, LIVE_OBJECT, 16, 1);
  die(&t, 2, LIVE_OBJECT, 32, 1);
  die(&t, 3, LIVE_BODY, 100, 1);
  die(&t, 255, LIVE_MALLOC, UINT64_C(5) << 32 | 7, LEAVES - 1);
  sum(&t);
  assert_died(1, 0, 0, 0);
  assert_died(1, 1, 2, 32);
  assert_died(1, 2, 1, 132);
  assert_died(1, 3, 0, 0);
  assert_died(2, 1, 0, 0);
  assert_died(LEAVES - 1, 4, 0, UINT64_C(5) << 32 | 7);
  assert_int_equal(t.misplaced, 0);
  live_table_close(&t);
  assert_null(t.deaths.base);
}

/* What finds no memory is counted as that, and nothing else changes. */
static void
without_memory(void **state)
{
  struct live_table t = {0}, small = {0};
  struct rlimit before, none = {0};
  (void)state;
  die(&small, 1, LIVE_OBJECT, 16, 1);
  die(&small, 1, LIVE_OBJECT, 16, 1);
  assert_int_equal(getrlimit(RLIMIT_AS, &before), 0);
  none.rlim_max = before.rlim_max;
  assert_int_equal(setrlimit(RLIMIT_AS, &none), 0);
  die(&t, 1, LIVE_OBJECT, 16, 1);
  die(&small, 1, LIVE_OBJECT, 16, UINT32_MAX / LIVE_LEAF_UNITS);
  assert_int_equal(setrlimit(RLIMIT_AS, &before), 0);
  assert_int_equal(t.misplaced, 1);
  assert_int_equal(small.misplaced, 1);
  sum(&t);
  assert_died(1, 1, 0, 0);
  sum(&small);
  assert_died(1, 1, 2, 32);
  live_table_close(&t);
  live_table_close(&small);
}

int
main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(bands), cmocka_unit_test(counted_by_leaf_and_age),
      cmocka_unit_test(without_memory)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
