/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Output that fails: at each of some twenty writes, and at each step after the
 * writes. */

#include "attempting.h"
#include "command/command.h"
#include "failing_calls.h"
#include "tables/output.h"

/* What is run: an export in this format; NULL: a report. */
static const char *format;

/* Runs the command into the file `path', or into DESCRIPTOR unless that is
 * negative; gives back the exit status. */
static int
report(int descriptor, struct mprof_error *error)
{
  char option[64];
  snprintf(option, sizeof option, "--format=%s", format);
  const char *arguments[] = {format == NULL ? "report" : "export",
                             "tests/golden/regions.data", NULL, NULL, NULL};
  int count = 2;
  if (format != NULL)
    arguments[count++] = option;
  if (descriptor < 0) {
    arguments[count++] = "-o";
    arguments[count++] = path;
  }
  struct sink sink;
  static struct outcome outcome;
  plan.writes = plan.fsyncs = 0;
  sink_init(&sink, sink_write_descriptor, &descriptor);
  int status =
      command_run(count, arguments, NULL, &sink, "standard output", &outcome);
  *error = outcome.error;
  return status;
}

/* Runs a report that has to fail as `plan' says: the file is as it was. */
static void
check_failure(void)
{
  static char content[CONTENT];
  char message[128];
  struct mprof_error error;
  snprintf(message, sizeof message, "cannot write '%s': %s", path,
           strerror(plan.error));
  put_old_file();
  assert_int_equal(report(-1, &error), 1);
  assert_string_equal(error.message, message);
  assert_int_equal(file_content(content), 3);
  assert_string_equal(content, "old");
  assert_int_equal(count_files(), 1);
  assert_int_equal(unlink(path), 0);
  assert_int_equal(report(-1, &error), 1);
  assert_string_equal(error.message, message);
  assert_int_equal(count_files(), 0);
}

enum { WRITES = 20 }; /* of each file */

static void
every_write_to_a_file(void)
{
  static char expected[CONTENT], content[CONTENT];
  struct mprof_error error;
  memset(&plan, 0, sizeof plan);
  most_bytes = SIZE_MAX;
  assert_int_equal(report(-1, &error), 0);
  size_t length = file_content(expected);
  most_bytes = length / WRITES + 1;
  assert_int_equal(report(-1, &error), 0);
  unsigned writes = plan.writes;
  assert_true(writes >= WRITES / 2);
  for (unsigned n = 1; n <= writes; n++) {
    plan.write = n;
    plan.error = ENOSPC;
    check_failure();
    plan.error = EINTR; /* no failure: the write is made again */
    assert_int_equal(report(-1, &error), 0);
    assert_int_equal(file_content(content), length);
    assert_memory_equal(content, expected, length);
    assert_int_equal(count_files(), 1);
  }
  plan.write = writes + 1;
  plan.error = ENOSPC;
  assert_int_equal(report(-1, &error), 0);
}

TEST(steps_after_the_writes)
{
  format = NULL;
  memset(&plan, 0, sizeof plan);
  plan.error = EIO;
  plan.fsync = 1;
  check_failure();
  plan.fsync = 0;
  plan.rename = 1;
  plan.error = EACCES;
  check_failure();
}

static void
every_write_to_standard_output(void)
{
  struct mprof_error error;
  int descriptor = open("/dev/null", O_WRONLY);
  assert_true(descriptor >= 0);
  memset(&plan, 0, sizeof plan);
  assert_int_equal(report(descriptor, &error), 0);
  unsigned writes = plan.writes;
  assert_true(writes > 0);
  plan.error = EPIPE;
  for (unsigned n = 1; n <= writes; n++) {
    plan.write = n;
    assert_int_equal(report(descriptor, &error), 1);
    assert_string_equal(error.message,
                        "cannot write standard output: Broken pipe");
    assert_int_equal(plan.writes, n); /* the error sticks */
  }
  close(descriptor);
}

static void
every_write(const char *name)
{
  format = name;
  every_write_to_a_file();
  every_write_to_standard_output();
}

TEST(every_write_of_each_format)
{
  every_write(NULL);
  for (const struct output *row = export_formats; row->name != NULL; row++)
    every_write(row->name);
}

RUN_TESTS_IN_ATTEMPT(make_folder, remove_folder)
