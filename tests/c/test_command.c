/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The library entry points, as a foreign caller uses them; the tests of the
 * Lisp side have more. */

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
  void *profile = mprof_profile_open_octets(octets, length, NULL);
  memset(octets, 0, length);
  assert_int_equal(
      mprof_command("report\ntests/golden/two-cycles.data", &expected, NULL),
      0);
  check_open(profile, "report", NULL, 0, 0, expected, "");
  mprof_profile_close(profile);

  octets = content("tests/corrupt/zero-id.data", &length);
  profile = mprof_profile_open_octets(octets, length, NULL);
  check_open(profile, "report", NULL, 0, 1, "",
             "cannot read 'memory': location 1 has the id 0 (offset 197 of "
             "the inflated data)");
  mprof_profile_close(profile);
  profile = mprof_profile_open_octets(octets, 0, NULL);
  check_open(
      profile, "report", NULL, 0, 1, "",
      "cannot read 'memory': the file is empty (offset 0 of the file)");
  mprof_profile_close(profile);
}

/* An open profile is saved as the command writes it of the same file, with
 * all columns in their order. */
static void
save_open(void **state)
{
  static const char *const names[] = {"tests/golden/widgets-c.data",
                                      "tests/foreign/jemalloc-live.pb.gz"};
  (void)state;
  for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
    static char expected[1 << 16];
    char line[128];
    size_t length, saved;
    snprintf(line, sizeof line, "merge\n-o\n%s\n%s", scratch, names[i]);
    assert_int_equal(mprof_command(line, NULL, NULL), 0);
    memcpy(expected, content(scratch, &length), sizeof expected);
    snprintf(line, sizeof line, "merge\n-o=%s", scratch);
    void *profile = mprof_profile_open(names[i]);
    check_open(profile, line, NULL, 0, 0, "", "");
    assert_memory_equal(content(scratch, &saved), expected, length);
    assert_int_equal(saved, length);
    mprof_profile_close(profile);
  }
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

static void
several_threads(void **state)
{
  enum { THREADS = 4 };
  pthread_t threads[2 * THREADS];
  char *expected;
  (void)state;
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

int
main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(results),
      cmocka_unit_test(open_octets),
      cmocka_unit_test(save_open),
      cmocka_unit_test(several_threads),
  };
  return RUN_IN_ATTEMPT(tests, make_scratch, remove_scratch);
}
