/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * test_new_name.c -- writing a profile that looks for its name when it is
 * whole, as that of a C program: all of it, or no file when any write fails.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>
#include <zlib.h>

#include "write/gzip_file.h"
#include "write/pprof_stream.h"

#include "failing_calls.h"

static bool named;

static int
find_name(const char *from, const char *to)
{
  assert_null(to);
  assert_int_equal(plan.fsyncs, 0);
  named = true;
  return rename(from, path);
}

/* A profile without samples, in so many comments; gives back errno. */
static int
save_comments(uint64_t comments)
{
  struct gzip_file file = { .rename = find_name };
  struct pprof_stream stream = { .output = &file };
  char temporary[sizeof path + 4];
  plan.writes = plan.fsyncs = 0;
  named = false;
  snprintf(temporary, sizeof temporary, "%s.tmp", path);
  gzip_file_open(&file, NULL, temporary);
  pprof_open(&stream, PPROF_C_COLUMNS);
  for (uint64_t i = 0; i < comments; i++)
    pprof_put_count(&stream, "test", i * UINT64_C(0x9E3779B97F4A7C15));
  pprof_close(&stream);
  gzip_file_close(&file);
  return file.failed;
}

/* The length of the profile that the file holds, compressed or not. */
static int
profile_length(void)
{
  static char content[1 << 20];
  gzFile file = gzopen(path, "rb");
  assert_non_null(file);
  const int length = gzread(file, content, sizeof content);
  assert_int_equal(gzclose(file), Z_OK);
  return length;
}

/* STATE is how many comments: few are not compressed. */
static void
every_write_to_a_new_name(void **state)
{
  const uint64_t comments = *(const uint64_t *)*state;
  unlink(path);
  assert_int_equal(save_comments(comments), 0);
  assert_true(named && count_files() == 1);
  const int length = profile_length();
  const unsigned writes = plan.writes;
  assert_true(length > 0 && writes > 1);
  for (plan.write = 1; plan.write <= writes; plan.write++) {
    plan.error = EDQUOT;
    assert_int_equal(unlink(path), 0);
    assert_int_equal(save_comments(comments), EDQUOT);
    assert_false(named);
    assert_int_equal(count_files(), 0);
    plan.error = EINTR;
    assert_int_equal(save_comments(comments), 0);
    assert_int_equal(profile_length(), length);
  }
  plan.write = 0;
}

int
main(void)
{
  static uint64_t few = 20, many = 3000;
  const struct CMUnitTest tests[] = {
    cmocka_unit_test_prestate(every_write_to_a_new_name, &few),
    cmocka_unit_test_prestate(every_write_to_a_new_name, &many),
  };
  return cmocka_run_group_tests_name("new name", tests, make_folder,
                                     remove_folder);
}
