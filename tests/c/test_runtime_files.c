/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Which files of a Lisp program, by their names alone, run it: what they have
 * does not show.  None of these files is there.
 */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "attempting.h"
#include "command_output.h"
#include "profile_builder.h"
#include "scratch_file.h"

/* The program is the first. */
static const char *const files[] = {
    "/usr/lib/maxima/binary-ecl/maxima",
    "/usr/lib/ecl/maxima.fas",
    "/usr/lib/libecl.so.21.2",
    "/usr/lib/libm.so.6",
    "/lib/libz.so.1",
    "/opt/ecl/lib/libgc.so.1",
    "/home/me/libmine.so",
};
enum { FILES = sizeof files / sizeof *files };

static const char *
base_name(const char *path)
{
  return strrchr(path, '/') + 1;
}

/* A chain of one call in each file. */
static struct builder *
a_call_in_each(Mprof__Pprof__Mapping *mappings,
               Mprof__Pprof__Mapping **pointers)
{
  struct builder *b = builder_new("lisp");
  size_t sample = builder_sample(b, "a/b/c/d/e/f/g");
  memcpy(b->values[sample], (const int64_t[]){1, 16, 0, 0, 0},
         5 * sizeof(int64_t));
  for (size_t i = 0; i < FILES; i++) {
    mprof__pprof__mapping__init(&mappings[i]);
    mappings[i].id = i + 1;
    mappings[i].filename = builder_string(b, files[i]);
    pointers[i] = &mappings[i];
    b->locations[i].mapping_id = i + 1;
    b->locations[i].n_line = 0;
  }
  b->profile.mapping = pointers;
  b->profile.n_mapping = FILES;
  return b;
}

static void
files_that_run_a_program(void **state)
{
  Mprof__Pprof__Mapping mappings[FILES];
  Mprof__Pprof__Mapping *pointers[FILES];
  struct builder *b = a_call_in_each(mappings, pointers);
  char line[256], expected[512];
  char *output, *error;
  (void)state;
  snprintf(expected, sizeof expected, "[%s+0x%x];[%s+0x%x];[%s+0x%x] 16\n",
           base_name(files[0]), 0x1000, base_name(files[1]), 0x1010,
           base_name(files[6]), 0x1060);
  builder_write(b, scratch);
  builder_free(b);
  snprintf(line, sizeof line, "export\n--format=folded\n%s", scratch);
  if (mprof_command(line, &output, &error) != 0)
    fail_msg("%s", error);
  assert_string_equal(output, expected);
  pool_free(output);
  pool_free(error);
}

int
main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(files_that_run_a_program),
  };
  return RUN_IN_ATTEMPT(tests, make_scratch, remove_scratch);
}
