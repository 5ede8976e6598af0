/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Profiles as other programs might write them, made by hand: their columns
 * and units, and what they leave out.
 * (Real ones are in tests/foreign.)
 */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "attempting.h"
#include "command_output.h"
#include "profile_builder.h"
#include "scratch_file.h"

/* A builder without sample types. */
static struct builder *
no_columns(void)
{
  struct builder *b = builder_new(NULL);
  b->profile.n_sample_type = 0;
  return b;
}

static void
add_column(struct builder *b, const char *type, const char *unit)
{
  size_t i = b->profile.n_sample_type++;
  assert_true(i < 5);
  b->types[i].type = builder_string(b, type);
  b->types[i].unit = builder_string(b, unit);
}

/* A sample with as many VALUES as there are columns. */
static size_t
add_sample(struct builder *b, const char *chain, const int64_t *values)
{
  size_t index = builder_sample(b, chain);
  b->samples[index].n_value = b->profile.n_sample_type;
  memcpy(b->values[index], values, b->profile.n_sample_type * sizeof *values);
  return index;
}

/* Writes B, frees it, and runs ARGUMENTS with its file; the output, or the
 * error when that is expected; the caller frees it. */
static char *
run(struct builder *b, const char *arguments, bool fails)
{
  char line[256];
  char *output;
  char *error;
  builder_write(b, scratch);
  builder_free(b);
  snprintf(line, sizeof line, "%s\n%s", arguments, scratch);
  int status = mprof_command(line, &output, &error);
  if (status != fails)
    fail_msg("%s", error);
  pool_free(fails ? output : error);
  return fails ? error : output;
}

static void
expect_text(char *output, const char *text)
{
  if (strstr(output, text) == NULL) {
    fputs(output, stderr);
    fail_msg("no \"%s\" in that", text);
  }
}

static void
expect_none(char *output, const char *text)
{
  if (strstr(output, text) != NULL)
    fail_msg("\"%s\" in:\n%s", text, output);
}

/* As jemalloc_pprof writes it: one column. */
static void
bytes_without_counts(void **state)
{
  struct builder *b = no_columns();
  (void)state;
  add_column(b, "inuse_space", "bytes");
  add_sample(b, "main/f", (const int64_t[]){4000});
  add_sample(b, "main/g", (const int64_t[]){96});
  char *output = run(b, "report\n--no-legend\n-verbose", false);
  expect_text(output, "\n4096 bytes, 3 functions, 2 contexts\n");
  expect_text(output, "The profile has only memory that was live");
  expect_text(output, "The profile does not count objects: their numbers "
                      "and sizes are blank\n");
  expect_text(output, "\n4096 **           4096 **                   "
                      "<TOTAL>\n4000 97           4000 97");
  expect_text(output, "\n **   4096                        4096"
                      "                  **  <TOTAL>\n"
                      " 97   4000                        4000"
                      "                  97  f\n");
  expect_text(output, "\nunknown              4096 **         4096 **\n");
  expect_none(output, "allocations");
  pool_free(output);
}

/* A bin whose size nobody knows is one thing in all forms. */
static void
sizes_that_nobody_knows(void **state)
{
  static const char *const forms[][2] = {
      {"report\n--tables=bins", "\nunknown              4000 **"},
      {"export\n--format=json", "{\"kind\":\"unknown\",\"size\":null,"},
      {"export\n--format=lisp", "((:size :unknown :bytes 4000 "},
      {"export\n--format=csv\n--table=bins", "\r\n\"unknown\",\""},
      {"export\n--format=lisp-contexts", "\n0 0 -3 0 4000 1 0\n"},
  };
  (void)state;
  for (size_t i = 0; i < sizeof forms / sizeof forms[0]; i++) {
    struct builder *b = no_columns();
    add_column(b, "inuse_space", "bytes");
    add_sample(b, "main/f", (const int64_t[]){4000});
    char *output = run(b, forms[i][0], false);
    expect_text(output, forms[i][1]);
    pool_free(output);
  }
}

/* Columns in another order, with one more, and in kilobytes. */
static void
columns_in_any_order(void **state)
{
  struct builder *b = no_columns();
  (void)state;
  add_column(b, "inuse_space", "kilobytes");
  add_column(b, "contentions", "count");
  add_column(b, "alloc_space", "KiB");
  add_column(b, "alloc_objects", "count");
  add_column(b, "inuse_objects", "count");
  add_sample(b, "main/f", (const int64_t[]){1, 77, 3, 4, 2});
  char *output = run(b, "export\n--format=csv\n--table=functions", false);
  expect_text(output, "\"f\",3072,4,3072,4,1024,2,1024,2,0,");
  pool_free(output);
}

/* Columns for both, but nothing counted as allocated. */
static void
nothing_allocated(void **state)
{
  struct builder *b = builder_new(NULL);
  (void)state;
  b->profile.n_sample_type = 4;
  add_sample(b, "main/f", (const int64_t[]){0, 0, 3, 48});
  char *output = run(b, "report\n--no-legend", false);
  expect_text(output, "\n3 allocations, 48 bytes, 2 functions, 1 context\nThe "
                      "profile has only memory that was live");
  pool_free(output);
}

/* Names that nobody knows: the type to show first, else the first in bytes;
 * with the count of the same name. */
static void
unknown_names(void **state)
{
  static const int64_t values[] = {1, 100, 2, 400};
  (void)state;
  for (int i = 0; i < 2; i++) {
    struct builder *b = no_columns();
    add_column(b, "in_new_tlab_objects", "count");
    add_column(b, "in_new_tlab_bytes", "bytes");
    add_column(b, "outside_tlab_objects", "count");
    add_column(b, "outside_tlab_bytes", "bytes");
    add_sample(b, "main/f", values);
    if (i == 1)
      b->profile.default_sample_type =
          builder_string(b, "outside_tlab_bytes");
    char *output = run(b, "export\n--format=csv\n--table=functions", false);
    expect_text(output, i == 0 ? "\"f\",100,1,100,1," : "\"f\",400,2,400,2,");
    pool_free(output);
  }
}

/* What is no heap profile says what it is. */
static void
no_heap(void **state)
{
  struct builder *b = no_columns();
  (void)state;
  add_column(b, "contentions", "count");
  add_column(b, "delay", "nanoseconds");
  add_sample(b, "main/f", (const int64_t[]){1, 2});
  char *error = run(b, "report", true);
  expect_text(error, "is not a heap profile: none of its sample types counts "
                     "bytes (contentions/count, delay/nanoseconds)");
  pool_free(error);
  error = run(no_columns(), "report", true);
  expect_text(error, "(there are none)");
  pool_free(error);
}

/* Products of values and units that leave 64 bits, or 63. */
static void
large_units(void **state)
{
  static const int64_t values[] = {INT64_C(1) << 33, INT64_C(1) << 24};
  (void)state;
  for (size_t i = 0; i < 2; i++) {
    struct builder *b = no_columns();
    add_column(b, "alloc_space", "terabytes");
    add_sample(b, "main/f", &values[i]);
    char *error = run(b, "report", true);
    expect_text(error, "the sums overflow at sample 0");
    pool_free(error);
  }
}

/* A line without a function, and a location in a known file. */
static void
missing_functions(void **state)
{
  static const int64_t values[] = {1, 16, 0, 0, 0};
  Mprof__Pprof__Mapping mapping;
  Mprof__Pprof__Mapping *mappings[] = {&mapping};
  struct builder *b = builder_new(NULL);
  (void)state;
  mprof__pprof__mapping__init(&mapping);
  mapping.id = 9;
  mapping.filename = builder_string(b, "/lib/libfoo.so.1");
  b->profile.mapping = mappings;
  b->profile.n_mapping = 1;
  add_sample(b, "main/f/g/h", values);
  b->locations[3].mapping_id = 9; /* of h */
  b->locations[3].n_line = 0;
  b->lines[2].function_id = 0; /* of g */
  b->locations[1].n_line = 0;  /* of f */
  b->locations[0].n_line = 0;  /* of main, which has no address either */
  b->locations[0].address = 0;
  char *output = run(b, "export\n--format=folded", false);
  assert_string_equal(output, "[unknown];0x1010;0x1020;[libfoo.so.1] 16\n");
  pool_free(output);
}

int
main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(bytes_without_counts),
      cmocka_unit_test(sizes_that_nobody_knows),
      cmocka_unit_test(columns_in_any_order),
      cmocka_unit_test(nothing_allocated),
      cmocka_unit_test(unknown_names),
      cmocka_unit_test(no_heap),
      cmocka_unit_test(large_units),
      cmocka_unit_test(missing_functions),
  };
  return RUN_IN_ATTEMPT(tests, make_scratch, remove_scratch);
}
