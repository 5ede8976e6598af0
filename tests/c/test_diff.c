/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Limits of growth: what they are, and what is beyond them. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "attempting.h"
#include "diff/diff.h"

#include <stdio.h>
#include <string.h>

static void
limits_that_parse(void **state)
{
  static const struct {
    const char *text;
    enum growth_kind kind;
    uint64_t millionths;
    enum growth_of of;
  } cases[] = {
      {"0", GROWTH_BYTES, 0, GROWTH_OF_TOTAL},
      {"17", GROWTH_BYTES, 17000000, GROWTH_OF_TOTAL},
      {"17B", GROWTH_BYTES, 17000000, GROWTH_OF_TOTAL},
      {"1kB", GROWTH_BYTES, UINT64_C(1000000000), GROWTH_OF_TOTAL},
      {"1KiB", GROWTH_BYTES, UINT64_C(1024000000), GROWTH_OF_TOTAL},
      {"1.5MiB", GROWTH_BYTES, UINT64_C(1572864000000), GROWTH_OF_TOTAL},
      {"2MB", GROWTH_BYTES, UINT64_C(2000000000000), GROWTH_OF_TOTAL},
      {"1GiB", GROWTH_BYTES, UINT64_C(1073741824000000), GROWTH_OF_TOTAL},
      {"1GB", GROWTH_BYTES, UINT64_C(1000000000000000), GROWTH_OF_TOTAL},
      {"5%", GROWTH_BYTE_SHARE, 5000000, GROWTH_OF_TOTAL},
      {"0.000001%", GROWTH_BYTE_SHARE, 1, GROWTH_OF_TOTAL},
      {"250%allocs", GROWTH_ALLOC_SHARE, 250000000, GROWTH_OF_TOTAL},
      {"1000allocs", GROWTH_ALLOCS, 1000000000, GROWTH_OF_TOTAL},
      {"kept:0", GROWTH_BYTES, 0, GROWTH_OF_KEPT},
      {"function:7%allocs", GROWTH_ALLOC_SHARE, 7000000, GROWTH_OF_FUNCTION},
  };
  (void)state;
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    struct growth_limits limits;
    assert_true(growth_limits_parse(&limits, cases[i].text));
    for (int of = 0; of < GROWTH_SUBJECTS; of++)
      for (int kind = 0; kind < GROWTH_KINDS; kind++)
        assert_int_equal(limits.of[of][kind].set,
                         of == (int)cases[i].of && kind == (int)cases[i].kind);
    assert_int_equal(limits.of[cases[i].of][cases[i].kind].millionths,
                     cases[i].millionths);
  }
  struct growth_limits limits;
  assert_true(growth_limits_parse(&limits, "5%,kept:1KiB,7allocs"));
  const struct growth_limit *total = limits.of[GROWTH_OF_TOTAL];
  assert_int_equal(total[GROWTH_BYTE_SHARE].millionths, 5000000);
  assert_int_equal(total[GROWTH_ALLOCS].millionths, 7000000);
  assert_false(total[GROWTH_BYTES].set);
  assert_int_equal(limits.of[GROWTH_OF_KEPT][GROWTH_BYTES].millionths,
                   1024000000);
  assert_true(limits.any[GROWTH_OF_KEPT]);
  assert_false(limits.any[GROWTH_OF_FUNCTION]);
}

static void
limits_that_do_not(void **state)
{
  static const char *const texts[] = {
      "",
      "%",
      "-1",
      "+1",
      " 1",
      "1 ",
      "1.",
      ".5%",
      "1e3",
      "0x10",
      "1kb",
      "1kib",
      "1%%",
      "1allocs%",
      "1,",
      ",1",
      "5%,",
      "1.1234567%",
      "1TB",
      "18446744073709551616",
      "99999999999999999999%",
      "18446744073710GiB",
      "1alloc",
      "kept:",
      "kept:kept:1",
      "all:1",
  };
  (void)state;
  for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
    struct growth_limits limits;
    if (growth_limits_parse(&limits, texts[i]))
      fail_msg("'%s' is taken for a limit", texts[i]);
  }
}

/* At the limit is not beyond it. */
static void
growth_at_the_limit(void **state)
{
  static const struct {
    const char *limit;
    uint64_t old, new, whole;
    bool beyond;
  } cases[] = {
      {"100", 1000, 1100, 1000, false},
      {"100", 1000, 1101, 1000, true},
      {"100", 1000, 10, 1000, false},
      {"0", 1000, 1000, 1000, false},
      {"0", 1000, 1001, 1000, true},
      {"0.5", 1000, 1001, 1000, true},
      {"10%", 1000, 1100, 1000, false},
      {"10%", 1000, 1101, 1000, true},
      {"10%", 0, 101, 1000, true},
      {"10%", 0, 100, 1000, false},
      {"10%", 0, 1, 0, true},
      {"0%", 0, 0, 0, false},
      {"33.333333%", 3000000, 4000000, 3000000, true},
      {"33.333334%", 3000000, 4000000, 3000000, false},
      {"100%", INT64_MAX / 2, INT64_MAX - 1, INT64_MAX / 2, false},
      {"100%", INT64_MAX / 2, INT64_MAX, INT64_MAX / 2, true},
  };
  (void)state;
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    struct growth_limits limits;
    bool beyond = false;
    assert_true(growth_limits_parse(&limits, cases[i].limit));
    for (int kind = 0; kind < GROWTH_KINDS; kind++)
      beyond = growth_exceeds(&limits.of[GROWTH_OF_TOTAL][kind],
                              (enum growth_kind)kind, cases[i].old,
                              cases[i].new, cases[i].whole) ||
               beyond;
    if (beyond != cases[i].beyond)
      fail_msg("%s: %llu to %llu", cases[i].limit,
               (unsigned long long)cases[i].old,
               (unsigned long long)cases[i].new);
  }
}

int
main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(limits_that_parse),
      cmocka_unit_test(limits_that_do_not),
      cmocka_unit_test(growth_at_the_limit),
  };
  return RUN_IN_ATTEMPT(tests, NULL, NULL);
}
