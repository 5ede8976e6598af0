/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The library entry points, as a foreign caller uses them. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "mprof.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

static void
check(const char *arguments, int status, const char *output_part,
      const char *error_text)
{
  char *output;
  char *error;
  assert_int_equal(mprof_command(arguments, &output, &error), status);
  assert_string_equal(error, error_text);
  if (strstr(output, output_part) == NULL)
    fail_msg("%s", output);
  if (status != 0)
    assert_string_equal(output, "");
  mprof_string_free(output);
  mprof_string_free(error);
  assert_int_equal(mprof_command(arguments, NULL, NULL), status);
}

static void
strings_in_and_out(void **state)
{
  (void)state;
  check("report\n--tables=types\ntests/golden/widgets.data", 0,
        "CL-USER::WIDGET", "");
  check("report\n--limit\n1\ntests/golden/widgets.data\n", 0,
        "DIRECT ALLOCATION", "");
  check("--version", 0, mprof_version(), "");
  check("help\nreport", 0, "--min-percent=P", "");
  check("", 2, "", "no command given");
  check("report\n\n", 1, "", "cannot open '': No such file or directory");
  check("report\n--tabels=types", 2, "", "unknown option '--tabels=types'");
  check("report\nno file here", 1, "",
        "cannot open 'no file here': No such file or directory");
}

static void
results(void **state)
{
  (void)state;
  void *result = mprof_run_command("export\n--format=folded\n"
                                   "tests/golden/recursion.data");
  assert_int_equal(mprof_result_status(result), 0);
  assert_string_equal(mprof_result_output(result), "MAIN;F;G;F;G 10\n");
  assert_string_equal(mprof_result_error(result), "");
  assert_int_equal(mprof_result_offset(result), -1);
  mprof_result_free(result);

  result = mprof_run_command("report\ntests/corrupt/zero-id.data");
  assert_int_equal(mprof_result_status(result), 1);
  assert_string_equal(mprof_result_output(result), "");
  assert_string_equal(
      mprof_result_error(result),
      "cannot read 'tests/corrupt/zero-id.data': location 1 has the id 0 "
      "(offset 197 of the inflated data)");
  assert_int_equal(mprof_result_offset(result), 197);
  mprof_result_free(result);

  assert_int_equal(mprof_result_status(NULL), 1);
  assert_string_equal(mprof_result_output(NULL), "");
  mprof_result_free(NULL);
  mprof_string_free(NULL);
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

static void
several_threads(void **state)
{
  enum { THREADS = 4 };
  pthread_t threads[THREADS];
  char *expected;
  (void)state;
  assert_int_equal(mprof_command("report\ntests/golden/two-cycles.data",
                                 &expected, NULL),
                   0);
  for (int i = 0; i < THREADS; i++)
    assert_int_equal(pthread_create(&threads[i], NULL, report_again_and_again,
                                    expected),
                     0);
  for (int i = 0; i < THREADS; i++) {
    void *wrong;
    assert_int_equal(pthread_join(threads[i], &wrong), 0);
    assert_null(wrong);
  }
  mprof_string_free(expected);
}

int
main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(strings_in_and_out),
      cmocka_unit_test(results),
      cmocka_unit_test(several_threads),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
