/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Limits of growth, and the figures of comparisons against those of the two
 * reports, for every pair of profiles: each side of a comparison is what a
 * report of that side alone says.
 */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "attempting.h"
#include "command/load.h"
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

/* The figures of NAME in the table KIND on SIDE; all zero when absent. */
static struct diff_figures
figures_named(const struct diff *diff, enum diff_kind kind, enum diff_side side,
           const char *name)
{
  const struct diff_table *table = &diff->tables[kind];
  for (size_t i = 0; i < table->entry_count; i++)
    if (strcmp(diff_name(&table->entries[i], 0), name) == 0)
      return table->entries[i].sides[side];
  return (struct diff_figures){{0}};
}

/* Checks that all of SIDE is what its reduction says, and nothing else. */
static void
check_side(const struct diff *diff, enum diff_side side)
{
  const struct reduction *reduction = &diff->sides[side];
  struct diff_figures sums[DIFF_KINDS];
  memset(sums, 0, sizeof sums);
  for (size_t i = 0; i < reduction->graph.node_count; i++) {
    const struct graph_node *node = &reduction->graph.nodes[i];
    struct diff_figures self =
        figures_named(diff, DIFF_FUNCTIONS, side, node->name);
    struct diff_figures all =
        figures_named(diff, DIFF_INCLUSIVE, side, node->name);
    for (int m = 0; m < MEASURE_COUNT; m++) {
      assert_int_equal(self.counts[m], node->self.counts[m]);
      assert_int_equal(all.counts[m], node->inclusive.counts[m]);
    }
    assert_int_equal(self.counts[DIFF_CALLS], node->calls);
    assert_int_equal(all.counts[DIFF_CALLS], node->calls);
  }
  for (int kind = 0; kind < DIFF_KINDS; kind++)
    for (size_t i = 0; i < diff->tables[kind].entry_count; i++) {
      const struct diff_entry *entry = &diff->tables[kind].entries[i];
      const struct diff_figures *figures = &entry->sides[side];
      assert_true(entry->present[DIFF_OLD] || entry->present[DIFF_NEW]);
      for (int m = 0; m < MEASURE_COUNT; m++) {
        sums[kind].counts[m] += figures->counts[m];
        assert_true(entry->present[side] || figures->counts[m] == 0);
      }
      assert_true(entry->present[side] || figures->counts[DIFF_CALLS] == 0);
    }
  for (int kind = 0; kind < DIFF_KINDS; kind++)
    for (int m = 0; m < MEASURE_COUNT; m++)
      assert_int_equal(
          kind == DIFF_INCLUSIVE ? diff->totals[side].counts[m]
                                 : sums[kind].counts[m],
          reduction->selection.total.counts[m]);
}

/* A comparison and what it is of. */
struct compared {
  struct profile profiles[DIFF_SIDES];
  struct diff diff;
};

static void
compare(struct compared *compared, const struct view_options *options,
        const struct diff_options *limits)
{
  for (int side = 0; side < DIFF_SIDES; side++)
    profile_load_joined(&compared->profiles[side], options->files[side],
                        HEAP_BOTH, NULL);
  diff_init(&compared->diff, compared->profiles, options, limits, NULL);
}

static void
every_pair(void **state)
{
  static const char *const names[] = {
      "widgets", "recursion", "two-cycles",   "mixture",
      "session", "phases",    "unknown-calls"};
  enum { COUNT = sizeof names / sizeof names[0] };
  const struct diff_options limits = {0};
  (void)state;
  for (size_t i = 0; i < COUNT * COUNT; i++) {
    char paths[2][64];
    const char *files[] = {paths[0], paths[1]};
    struct view_options options = {.limit = SIZE_MAX, .files = files};
    struct compared compared;
    snprintf(paths[0], sizeof paths[0], "tests/golden/%s.data",
             names[i / COUNT]);
    snprintf(paths[1], sizeof paths[1], "tests/golden/%s.data",
             names[i % COUNT]);
    compare(&compared, &options, &limits);
    check_side(&compared.diff, DIFF_OLD);
    check_side(&compared.diff, DIFF_NEW);
  }
}

/* The totals of calls, by which old ones are normalised, are those of the
 * functions whose calls both sides know. */
static void
unknown_calls(void **state)
{
  const char *files[] = {"tests/golden/unknown-calls.data",
                         "tests/golden/unknown-calls.data,"
                         "tests/golden/recursion.data"};
  struct view_options options = {.limit = SIZE_MAX, .files = files};
  const struct diff_options limits = {.normalize = true};
  struct compared compared;
  const struct diff *diff = &compared.diff;
  (void)state;
  compare(&compared, &options, &limits);
  uint64_t old = diff->totals[DIFF_OLD].counts[DIFF_CALLS];
  uint64_t new = diff->totals[DIFF_NEW].counts[DIFF_CALLS];
  assert_int_equal(old, 1 + 3 + 40 + 8 + 7 + 2 + 7);
  struct diff_figures more =
      figures_named(diff, DIFF_FUNCTIONS, DIFF_NEW, "F");
  assert_true(more.counts[DIFF_CALLS] > 0 && new > old);
  assert_int_equal(
      figures_named(diff, DIFF_FUNCTIONS, DIFF_OLD, "COMPARE")
          .counts[DIFF_CALLS],
      (40 * new + old / 2) / old);
  for (int side = 0; side < DIFF_SIDES; side++)
    assert_true(
        figures_named(diff, DIFF_FUNCTIONS, (enum diff_side)side, "sort")
            .counts[DIFF_CALLS] == CALLS_UNKNOWN);
}

int
main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(limits_that_parse),
      cmocka_unit_test(limits_that_do_not),
      cmocka_unit_test(growth_at_the_limit),
      cmocka_unit_test(every_pair),
      cmocka_unit_test(unknown_calls),
  };
  return RUN_IN_ATTEMPT(tests, NULL, NULL);
}
