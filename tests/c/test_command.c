/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The library entry points, as a foreign caller uses them; the tests of the
 * Lisp side have more. */

#include "attempting.h"

TEST(results)
{
  void *result = mprof_run_command("report\ntests/corrupt/zero-id.data");
  assert_int_equal(mprof_result_status(result), 1);
  assert_string_equal(mprof_result_output(result), "");
  assert_int_equal(mprof_result_offset(result), 197);
  mprof_result_free(result);

  assert_int_equal(mprof_result_status(NULL), 1);
  assert_string_equal(mprof_result_output(NULL), "");
  mprof_result_free(NULL);
}

static void *
report_again_and_again(void *expected)
{
  static const char arguments[] = "report\ntests/golden/two-cycles.data";
  for (int i = 0; i < 20; i++) {
    void *result = mprof_run_command(arguments);
    bool same = strcmp(mprof_result_output(result), expected) == 0;
    mprof_result_free(result);
    if (!same)
      return expected;
  }
  return NULL;
}

/* Options are parsed by getopt_long_only, whose state is the process's. */
static void *
parse_again_and_again(void *expected)
{
  static const char arguments[] =
      "report\n-limit\n1\n--sort=bytes\n--min-percent\n0\n--qqqqqq=1\nx";
  for (int i = 0; i < 5000; i++) {
    void *result = mprof_run_command(arguments);
    bool same =
        strcmp(mprof_result_error(result), "unknown option '--qqqqqq=1'") == 0;
    mprof_result_free(result);
    if (!same)
      return expected;
  }
  return NULL;
}

TEST(several_threads)
{
  enum { THREADS = 4 };
  pthread_t threads[2 * THREADS];
  char *expected;
  assert_int_equal(
      mprof_command("report\ntests/golden/two-cycles.data", &expected, NULL),
      0);
  for (int i = 0; i < 2 * THREADS; i++)
    assert_int_equal(pthread_create(&threads[i], NULL,
                                    i < THREADS ? report_again_and_again
                                                : parse_again_and_again,
                                    expected),
                     0);
  for (int i = 0; i < 2 * THREADS; i++) {
    void *wrong;
    assert_int_equal(pthread_join(threads[i], &wrong), 0);
    assert_null(wrong);
  }
}

RUN_TESTS_IN_ATTEMPT(NULL, NULL)
