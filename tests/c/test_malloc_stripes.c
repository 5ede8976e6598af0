/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * test_malloc_stripes.c -- the counters of several threads against one plain
 * list of all events: what is counted, what is live, and what was live by leaf
 * when most bytes were.
 */
#include "stripes_fixture.h"

/* One thread, few, as many as there are stripes, and more. */
static void
test_random(void **state)
{
  static const int counts[] = { 1, 2, 3, 7, 15, 16, 40 };
  (void)state;
  for (size_t c = 0; c < sizeof counts / sizeof *counts; c++) {
    const int n = counts[c];
    const uint32_t most = 1 + (uint32_t)(n < STRIPES ? n : STRIPES - 1);
    begin(n);
    for (int i = 0; i < 100000; i++) {
      if (i % 10000 == 2000)
        part(n);
      if (i % 30000 == 20000)
        gather();
      /* it grows and shrinks, and now and then more than before */
      step(&threads[any() % (unsigned)n], i / 5000 % 3 == 2 ? 2 : 7);
      if (i % 500 == 0)
        compare();
    }
    compare();
    assert_int_equal(stripes.used, most);
  }
}

/* Where most allocations are a new peak, all come back to the first. */
static void
test_growth(void **state)
{
  (void)state;
  begin(5);
  part(5);
  assert_int_equal(stripes.open, 6);
  for (int i = 0; i < OBJECTS; i++) {
    allocate(&threads[i % 5], &objects[i], 1, 100);
    model_allocate(1, 100);
  }
  assert_int_equal(stripes.open, 1);
  compare();
  /* and stay apart where none is */
  for (int i = 0; i < OBJECTS; i++)
    end(&threads[i % 5], &objects[i]);
  part(5);
  for (int i = 0; i < 20 * OBJECTS; i++) {
    allocate(&threads[i % 5], &objects[i % 50], 2, 20);
    model_allocate(2, 20);
    end(&threads[i % 5], &objects[i % 50]);
  }
  assert_int_equal(stripes.open, 6);
  compare();
}

/* Temporary is what its own thread frees before its next allocation. */
static void
test_temporary(void **state)
{
  struct object a, b;
  (void)state;
  for (int together = 0; together < 2; together++) {
    begin(2);
    if (!together)
      part(2);
    allocate(&threads[0], &a, 1, 10);
    allocate(&threads[1], &b, 2, 10);
    end(&threads[0], &a);
    assert_int_equal(stripes_counters(1).temporary_count, 1);
    end(&threads[0], &b); /* another thread */
    assert_int_equal(stripes_counters(2).temporary_count, 0);
    allocate(&threads[0], &a, 1, 10);
    allocate(&threads[0], &b, 2, 10);
    end(&threads[0], &a); /* too late */
    assert_int_equal(stripes_counters(1).temporary_count, 1);
    end(&threads[0], &b);
    assert_int_equal(stripes_counters(2).temporary_count, 1);
    /* at the address of an object of another thread */
    allocate(&threads[0], &a, 1, 10);
    end(&threads[1], &a);
    allocate(&threads[1], &a, 1, 10);
    end(&threads[0], &a);
    assert_int_equal(stripes_counters(1).temporary_count, 1);
    /* though where it counts has changed */
    allocate(&threads[0], &a, 1, 10);
    if (together)
      part(2);
    else
      gather();
    end(&threads[0], &a);
    assert_int_equal(stripes_counters(1).temporary_count, 2);
  }
}

/* With threads that begin in the midst of it, and others that end. */
static void
test_threads(void **state)
{
  (void)state;
  begin(1);
  for (int n = 1; n < 30; n++) {
    for (int i = 0; i < 2000; i++)
      step(&threads[any() % (unsigned)n], n % 3 == 2 ? 2 : 7);
    stripes_join(&threads[n]);
    assert_int_equal(threads[n].number, n + 1 < STRIPES ? n + 1 : 0);
    part(n % 5 == 0 ? n : 0);
    if (n % 4 == 0) {
      const uint32_t number = threads[n / 2].number;
      stripes_leave(&threads[n / 2]);
      compare();
      stripes_join(&threads[n / 2]);
      assert_int_equal(threads[n / 2].number, number);
    }
    compare();
  }
}

int
main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_random),
    cmocka_unit_test(test_growth),
    cmocka_unit_test(test_temporary),
    cmocka_unit_test(test_threads),
  };
  malloc_monitor.counting = false; /* of this program itself, nothing */
  malloc_monitor.ready = false;
  return cmocka_run_group_tests(tests, NULL, NULL);
}
