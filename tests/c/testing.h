/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * testing.h -- the tests of a program: TEST(name) { ... } is one of them, and
 * RUN_TESTS at the end of the file is its main function, which runs all in
 * their order.
 */
#pragma once

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

enum { MOST_TESTS = 64 };

static struct {
  struct CMUnitTest tests[MOST_TESTS];
  int lines[MOST_TESTS];
  size_t count;
} all_tests;

/* Adds TEST, which is defined at LINE, behind those of the lines above. */
static inline void
add_test(struct CMUnitTest test, int line)
{
  size_t i = all_tests.count++;
  assert_true(i < MOST_TESTS);
  for (; i > 0 && all_tests.lines[i - 1] > line; i--) {
    all_tests.tests[i] = all_tests.tests[i - 1];
    all_tests.lines[i] = all_tests.lines[i - 1];
  }
  all_tests.tests[i] = test;
  all_tests.lines[i] = line;
}

/* The function of a test is called with cmocka's `state'. */
#define TEST(name)                                                           \
  static void name(void **state);                                            \
  static void __attribute__((constructor)) add_##name(void)                  \
  {                                                                          \
    add_test((struct CMUnitTest)cmocka_unit_test(name), __LINE__);           \
  }                                                                          \
  static void name(void **state __attribute__((unused)))

/* Runs all tests between BEGIN and END; returns how many failed. */
static inline int
run_all_tests(CMFixtureFunction begin, CMFixtureFunction end)
{
  return _cmocka_run_group_tests("tests", all_tests.tests, all_tests.count,
                                 begin, end);
}

#define RUN_TESTS(begin, end)                                                \
  int main(void)                                                             \
  {                                                                          \
    return run_all_tests(begin, end);                                        \
  }
