/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The call graph against figures worked out by hand: exact inclusive figures,
 * arcs, activations, sizes, several files.  Cycles have test_cycles.c.
 */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "attempting.h"
#include "example_profiles.h"
#include "graph_fixture.h"

static void
producer_and_consumer(void **state)
{
  struct fixture f = {0};
  (void)state;
  add_file(&f, example_widgets());
  reduce(&f);
  check_node(&f, "CL-USER::RUN", 0, 480000, 1);
  check_node(&f, "CL-USER::MAKE-RED-WIDGET", 0, 240000, 5000);
  check_node(&f, "CL-USER::MAKE-WIDGET", 480000, 480000, 10000);
  check_arc(&f, "CL-USER::RUN", "CL-USER::MAKE-RED-WIDGET", 240000, 5000);
  check_arc(&f, "CL-USER::MAKE-BLUE-WIDGET", "CL-USER::MAKE-WIDGET", 240000,
            5000);
  assert_int_equal(node(&f, "CL-USER::MAKE-WIDGET")->self.allocs, 10000);
  assert_int_equal(node(&f, "CL-USER::MAKE-WIDGET")->self.category_bytes[2],
                   480000);
  assert_int_equal(f.reduction.cycles.count, 0);
  assert_int_equal(f.reduction.graph.arc_count, 4);
  done(&f);
}

static void
bodies_that_grow(void **state)
{
  struct fixture f = {0};
  (void)state;
  add_file(&f, example_mixture());
  reduce(&f);
  const struct graph_node *intern = node(&f, "INTERN-ALL");
  assert_int_equal(intern->self.allocs, 1);
  assert_int_equal(intern->self.bytes, 712);
  assert_int_equal(intern->type_count, 1);
  const struct tally *tally = &f.reduction.tally;
  const struct tally_bin *last = &tally->bins[tally->bin_count - 1];
  assert_int_equal(last->kind, BIN_GROWTH);
  assert_int_equal(last->figures.bytes, 512);
  assert_int_equal(last->figures.allocs, 0);
  assert_int_equal(tally->bins[tally->bin_count - 2].kind, BIN_LARGE);
  assert_int_equal(tally->bins[tally->bin_count - 2].figures.bytes, 5200);
  done(&f);
}

/* Sizes up to 1024 have a bin each; larger ones share one, with or without
 * a size of their own. */
static void
bins(void **state)
{
  static const struct allocation allocations[] = {
      {1, 1024, 1024, "other", "BIGNUM", NULL, 0, 0},
      {1, 1025, 1025, "other", "BIGNUM", NULL, 0, 0},
      {2, 3000, 1500, "struct", "BASE-STRING", NULL, 0, 0},
      {1, 9000, 0, "struct", "BASE-STRING", NULL, 0, 0},
      {3, 24, 8, "float", "DOUBLE-FLOAT", NULL, 0, 0},
      {2, 16, 8, "other", "BIGNUM", NULL, 0, 0},
  };
  struct fixture f = {0};
  struct builder *b = builder_new("lisp");
  (void)state;
  for (size_t i = 0; i < sizeof allocations / sizeof allocations[0]; i++)
    builder_allocate(b, "MAIN", allocations[i]);
  add_file(&f, b);
  reduce(&f);
  const struct tally *tally = &f.reduction.tally;
  assert_int_equal(tally->bin_count, 3);
  assert_int_equal(tally->bins[0].kind, BIN_SIZE);
  assert_int_equal(tally->bins[0].size, 8);
  assert_int_equal(tally->bins[0].figures.allocs, 5);
  assert_int_equal(tally->bins[0].figures.bytes, 40);
  assert_int_equal(tally->bins[0].part_count, 2);
  assert_int_equal(tally->parts[0].figures.bytes, 24);
  assert_int_equal(tally->bins[1].size, 1024);
  assert_int_equal(tally->bins[2].kind, BIN_LARGE);
  assert_int_equal(tally->bins[2].figures.allocs, 4);
  assert_int_equal(tally->bins[2].figures.bytes, 13025);
  assert_int_equal(tally->bins[2].part_count, 2);
  done(&f);
}

static void
several_files(void **state)
{
  struct fixture f = {0};
  (void)state;
  add_file(&f, example_widgets());
  add_file(&f, example_recursion());
  add_file(&f, example_widgets());
  reduce(&f);
  assert_int_equal(f.reduction.profile->total[MEASURE_BYTES], 960010);
  assert_int_equal(f.reduction.profile->total[MEASURE_ALLOCS], 20001);
  check_node(&f, "CL-USER::MAKE-WIDGET", 960000, 960000, 20000);
  check_node(&f, "G", 10, 10, 2);
  assert_false(profile_knows(f.reduction.profile, FACT_COLLECTOR_BYTES));
  done(&f);
}

int
main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(producer_and_consumer),
      cmocka_unit_test(bodies_that_grow),
      cmocka_unit_test(bins),
      cmocka_unit_test(several_files),
  };
  return RUN_IN_ATTEMPT(tests, NULL, NULL);
}
