/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Output that fails: at each of some twenty writes, and at each step after the
 * writes. */

#include "attempting.h"
#include "command/command.h"
#include "tables/output.h"

#include <dirent.h>
#include <sys/syscall.h>

/* ---- a file whose writing fails ---- */

/* The system calls below stand in front of those of the C library; they pass
 * most_bytes at a time, so that one file is several writes, and fail when they
 * are told to. */
enum { CONTENT = 1 << 20 }; /* more than any file has */

static size_t most_bytes = SIZE_MAX; /* in one write */

/* Which call fails, counted from 1 (0: none), and how. */
static struct {
  unsigned write, fsync, rename;
  int error;
  unsigned writes, fsyncs; /* so far */
} plan;

static char folder[] = "/tmp/mprof-test-XXXXXX";
static char path[sizeof folder + 8]; /* of the file, alone in its folder */

ssize_t
write(int descriptor, const void *bytes, size_t length)
{
  if (++plan.writes == plan.write) {
    errno = plan.error;
    return -1;
  }
  return syscall(SYS_write, descriptor, bytes,
                 length < most_bytes ? length : most_bytes);
}

int
fsync(int descriptor)
{
  if (++plan.fsyncs == plan.fsync) {
    errno = plan.error;
    return -1;
  }
  return (int)syscall(SYS_fsync, descriptor);
}

int
rename(const char *from, const char *to)
{
  errno = plan.error;
  return plan.rename != 0
             ? -1
             : (int)syscall(SYS_renameat, AT_FDCWD, from, AT_FDCWD, to);
}

static inline void
put_old_file(void)
{
  FILE *file = fopen(path, "w");
  assert_non_null(file);
  assert_true(fputs("old", file) >= 0);
  assert_int_equal(fclose(file), 0);
}

/* The length of the file, of which *CONTENT gets the text. */
static inline size_t
file_content(char content[CONTENT])
{
  FILE *file = fopen(path, "r");
  assert_non_null(file);
  size_t length = fread(content, 1, CONTENT - 1, file);
  content[length] = '\0';
  fclose(file);
  return length;
}

/* How many files the folder has. */
static int
count_files(void)
{
  DIR *directory = opendir(folder);
  const struct dirent *entry;
  int count = -2; /* "." and ".." */
  assert_non_null(directory);
  while ((entry = readdir(directory)) != NULL)
    count++;
  closedir(directory);
  return count;
}

static int
make_folder(void **state)
{
  (void)state;
  if (mkdtemp(folder) == NULL)
    return -1;
  snprintf(path, sizeof path, "%s/file", folder);
  return 0;
}

static int
remove_folder(void **state)
{
  (void)state;
  memset(&plan, 0, sizeof plan);
  unlink(path);
  return rmdir(folder);
}

/* ---- what is written ---- */

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
