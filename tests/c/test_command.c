/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The library entry points, as a foreign caller uses them. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "attempting.h"
#include "command_output.h"
#include "scratch_file.h"

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
  pool_free(output);
  pool_free(error);
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
  check("--version", 0, "mprof ", "");
  check("help\nreport", 0, "--min-percent=P", "");
  check("", 2, "", "no command given");
  check("report\n\n", 1, "", "cannot open '': No such file or directory");
  check("report\n--tabels=types", 2, "",
        "unknown option '--tabels=types'; did you mean --tables?");
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
  pool_free(NULL);
}

/* What the command line ARGUMENTS on PROFILE, of whose samples COUNT SAMPLES
 * count, gives. */
static void
check_open(void *profile, const char *arguments, const uint64_t *samples,
           uint64_t count, int status, const char *output, const char *error)
{
  void *result = mprof_profile_command(profile, arguments, samples, count);
  assert_string_equal(mprof_result_error(result), error);
  assert_int_equal(mprof_result_status(result), status);
  assert_string_equal(mprof_result_output(result), output);
  mprof_result_free(result);
}

/* The samples 0 and 7 of mixture.data are those in PARSE and GRÖSSE. */
static void
open_files(void **state)
{
  static const char folded[] = "export\n--format=folded";
  static const uint64_t samples[] = {7, 0}, none[] = {8};
  (void)state;
  void *profile = mprof_profile_open("tests/golden/recursion.data");
  check_open(profile, folded, NULL, 0, 0, "MAIN;F;G;F;G 10\n", "");
  check_open(profile, "report\n--tabels=types", NULL, 0, 2, "",
             "unknown option '--tabels=types'; did you mean --tables?");
  check_open(profile, "report\nx.data", NULL, 0, 2, "",
             "input is the open profile; 'x.data' is not accepted");
  check_open(profile, "report\n--heap=lisp", NULL, 0, 2, "",
             "--heap selects what is read from files, and the profile is open");
  check_open(profile, "report\n--focus\nF", NULL, 0, 2, "",
             "option '--focus' requires a value");
  check_open(profile, "diff", NULL, 0, 2, "",
             "diff takes two profiles, OLD and NEW; join several files of one "
             "with commas");
  mprof_profile_close(profile);

  profile = mprof_profile_open(
      "tests/golden/recursion.data\ntests/golden/recursion.data\n");
  check_open(profile, folded, NULL, 0, 0, "MAIN;F;G;F;G 20\n", "");
  mprof_profile_close(profile);

  profile = mprof_profile_open("tests/golden/mixture.data");
  check_open(profile, folded, samples, 2, 0,
             "RUN;PARSE 160\nRUN;PARSE;GRÖSSE 320\n", "");
  check_open(profile, folded, samples, 0, 0, "", "");
  check_open(profile, folded, none, 1, 2, "",
             "there is no sample 8; the profile has 8");
  mprof_profile_close(profile);

  profile = mprof_profile_open("nowhere");
  for (int i = 0; i < 2; i++)
    check_open(profile, folded, NULL, 0, 1, "",
               "cannot open 'nowhere': No such file or directory");
  mprof_profile_close(profile);
  mprof_profile_close(NULL);
}

/* The whole of the file PATH; *LENGTH is set. */
static char *
content(const char *path, size_t *length)
{
  static char octets[1 << 16];
  FILE *file = fopen(path, "rb");
  assert_non_null(file);
  *length = fread(octets, 1, sizeof octets, file);
  assert_true(*length < sizeof octets);
  assert_int_equal(fclose(file), 0);
  return octets;
}

static void
open_octets(void **state)
{
  size_t length;
  char *octets = content("tests/golden/two-cycles.data", &length);
  char *expected;
  (void)state;
  void *profile = mprof_profile_open_octets(octets, length);
  memset(octets, 0, length);
  assert_int_equal(mprof_command("report\ntests/golden/two-cycles.data",
                                 &expected, NULL),
                   0);
  check_open(profile, "report", NULL, 0, 0, expected, "");
  pool_free(expected);
  mprof_profile_close(profile);

  octets = content("tests/corrupt/zero-id.data", &length);
  profile = mprof_profile_open_octets(octets, length);
  check_open(profile, "report", NULL, 0, 1, "",
             "cannot read 'memory': location 1 has the id 0 (offset 197 of "
             "the inflated data)");
  mprof_profile_close(profile);
  profile = mprof_profile_open_octets(octets, 0);
  check_open(profile, "report", NULL, 0, 1, "",
             "cannot read 'memory': the file is empty (offset 0 of the file)");
  mprof_profile_close(profile);
}

/* An exported choice of samples says what the choice says, calls too. */
static void
export_samples(void **state)
{
  static const char report[] =
      "report\n--tables=direct,graph,bins\n--verbose\n--no-legend";
  (void)state;
  void *whole = mprof_profile_open("tests/golden/two-cycles.data");
  for (uint64_t n = 0; n < 4; n++) {
    const uint64_t samples[] = {n, 4};
    char arguments[128];
    snprintf(arguments, sizeof arguments, "export\n--format=pprof\n-o=%s",
             scratch);
    check_open(whole, arguments, samples, 2, 0, "", "");
    void *part = mprof_profile_open(scratch);
    void *chosen = mprof_profile_command(whole, report, samples, 2);
    void *exported = mprof_profile_command(part, report, NULL, 0);
    const char *tables = strstr(mprof_result_output(chosen), "\n\n");
    assert_non_null(tables);
    assert_string_equal(strstr(mprof_result_output(exported), "\n\n"),
                        tables);
    mprof_result_free(chosen);
    mprof_result_free(exported);
    mprof_profile_close(part);
  }
  mprof_profile_close(whole);
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
  pool_free(expected);
}

int
main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(strings_in_and_out),
      cmocka_unit_test(results),
      cmocka_unit_test(open_files),
      cmocka_unit_test(open_octets),
      cmocka_unit_test(export_samples),
      cmocka_unit_test(several_threads),
  };
  return RUN_IN_ATTEMPT(tests, make_scratch, remove_scratch);
}
