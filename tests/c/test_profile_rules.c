/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The reader against files that break a rule: one file for each rule of the
 * format, faults of its encoding, and files of another kind.  The answer is
 * an error with a reason and an offset.  (test_corrupt.c damages files
 * blindly, test_file_bounds.c has very much of each thing.)
 *
 * The files with one fault each are those of tests/corrupt, where the tests
 * of the command find them; MPROF_UPDATE_GOLDEN=1 writes them anew.
 */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "attempting.h"
#include "profile_text.h"
#include "profile_invariants.h"
#include "scratch_file.h"

/* Faults, one a function: each spoils a good profile. */

static void
spoil_negative(struct builder *b)
{
  b->values[0][1] = -16;
}

static void
spoil_overflow(struct builder *b)
{
  b->values[0][1] = INT64_MAX;
  b->profile.n_comment = 2;
}

static void
spoil_sum(struct builder *b)
{
  b->values[0][1]++;
}

static void
spoil_values(struct builder *b)
{
  b->samples[1].n_value = 4;
}

static void
spoil_location(struct builder *b)
{
  b->chains[1][0] = 99;
}

/* One run of hidden locations that does not fit: behind 99 others, ... */
static void
spoil_hidden_place(struct builder *b)
{
  static uint64_t runs[] = {99, 1, 1};
  b->samples[1].mprof_hidden = runs;
  b->samples[1].n_mprof_hidden = 3;
}

/* ... or longer than what there is. */
static void
spoil_hidden_length(struct builder *b)
{
  static uint64_t runs[] = {0, 2, 1};
  b->samples[1].mprof_hidden = runs;
  b->samples[1].n_mprof_hidden = 3;
}

static void
spoil_function(struct builder *b)
{
  b->lines[2].function_id = 77;
}

static void
spoil_mapping(struct builder *b)
{
  b->locations[0].mapping_id = 5;
}

static void
spoil_zero_id(struct builder *b)
{
  b->locations[1].id = 0;
}

static void
spoil_double_id(struct builder *b)
{
  b->functions[1].id = 1;
}

static void
spoil_string(struct builder *b)
{
  b->functions[1].name = 5000;
}

static void
spoil_negative_string(struct builder *b)
{
  b->labels[0][1].str = -1;
}

static void
spoil_first_string(struct builder *b)
{
  free(b->strings[0]);
  b->strings[0] = strdup("not empty");
}

static void
spoil_no_strings(struct builder *b)
{
  for (size_t i = 0; i < b->profile.n_string_table; i++)
    free(b->strings[i]);
  b->profile.n_string_table = 0;
}

static void
spoil_columns(struct builder *b)
{
  for (size_t i = 0; i < 5; i++) {
    b->types[i].type = builder_string(b, "cpu");
    b->types[i].unit = builder_string(b, "nanoseconds");
  }
}

static void
spoil_unit(struct builder *b)
{
  b->types[1].unit = builder_string(b, "pages");
}

static void
spoil_fact(struct builder *b)
{
  b->comments[5] = builder_string(b, "mprof.rounded_bytes=many");
}

static void
spoil_repeated_fact(struct builder *b)
{
  builder_comment(b, "mprof.bytes=480000");
}

static void
spoil_kept(struct builder *b)
{
  b->values[0][3] = b->values[0][1] + 1;
}

static void
spoil_period(struct builder *b)
{
  b->period_type.unit = 5000;
}

static void
spoil_default(struct builder *b)
{
  b->profile.default_sample_type = -2;
}

static void
spoil_mapping_name(struct builder *b)
{
  static Mprof__Pprof__Mapping mapping;
  static Mprof__Pprof__Mapping *mappings[] = {&mapping};
  mprof__pprof__mapping__init(&mapping);
  mapping.id = 3;
  mapping.build_id = 5000;
  b->profile.mapping = mappings;
  b->profile.n_mapping = 1;
}

static void
spoil_drop_frames(struct builder *b)
{
  b->profile.drop_frames = 5000;
}

static void
spoil_files(struct builder *b)
{
  builder_comment(b, "mprof.files=none");
}

struct fault {
  const char *name; /* of the file in tests/corrupt */
  void (*spoil)(struct builder *b);
  const char *reason; /* part of the message */
};

static const struct fault faults[] = {
    {"negative-value", spoil_negative, "sample 0 has the negative value -16"},
    {"sum-overflow", spoil_overflow, "the sums overflow at sample 1"},
    {"wrong-sum", spoil_sum,
     "mprof.bytes is 480000, but the samples add up to 480001"},
    {"missing-value", spoil_values,
     "sample 1 has 4 values where there are 5 sample types"},
    {"missing-location", spoil_location,
     "sample 1 refers to location 99, which is missing"},
    {"hidden-place", spoil_hidden_place,
     "the hidden locations of sample 1 do not match its frames"},
    {"hidden-length", spoil_hidden_length,
     "the hidden locations of sample 1 do not match its frames"},
    {"missing-function", spoil_function,
     "location 3 refers to function 77, which is missing"},
    {"missing-mapping", spoil_mapping,
     "location 1 refers to mapping 5, which is missing"},
    {"mapping-string", spoil_mapping_name,
     "mapping 3 refers to a missing string"},
    {"period-string", spoil_period,
     "the period's type refers to a missing string"},
    {"default-string", spoil_default,
     "the default sample type is a missing string"},
    {"drop-string", spoil_drop_frames,
     "drop_frames or keep_frames refers to a missing string"},
    {"no-files", spoil_files, "a value that is not a number of files"},
    {"zero-id", spoil_zero_id, "location 1 has the id 0"},
    {"double-id", spoil_double_id, "the function id 1 is used twice"},
    {"missing-string", spoil_string, "function 2 refers to a missing string"},
    {"negative-string", spoil_negative_string,
     "a label of sample 0 refers to a missing string"},
    {"first-string", spoil_first_string, "the first string is not empty"},
    {"no-strings", spoil_no_strings, "it has no string table"},
    {"no-heap", spoil_columns,
     "is a CPU profile: none of its sample types counts bytes "
     "(cpu/nanoseconds, "},
    {"wrong-unit", spoil_unit,
     "alloc_space is measured in 'pages', which is not a unit of bytes"},
    {"no-count", spoil_fact, "mprof.rounded_bytes a value that is not a count"},
    {"repeated-count", spoil_repeated_fact, "repeats mprof.bytes"},
    {"kept-too-much", spoil_kept, "sample 0 keeps more than it allocated"},
};

static void
every_rule(void **state)
{
  (void)state;
  for (size_t i = 0; i < sizeof faults / sizeof faults[0]; i++) {
    char path[128];
    snprintf(path, sizeof path, "tests/corrupt/%s.data", faults[i].name);
    struct builder *b = example("widgets");
    faults[i].spoil(b);
    if (getenv("MPROF_UPDATE_GOLDEN") != NULL)
      builder_write(b, path);
    builder_write(b, scratch);
    builder_free(b);
    check_refused(scratch, faults[i].reason);
    check_refused(path, faults[i].reason);
  }
}

/* Faults of the encoding, of comments, and of fields of which the last one
 * counts, with the offset that must be named. */
static void
every_wire_fault(void **state)
{
  static const struct {
    const char *bytes;
    size_t length;
    const char *reason;
    int64_t offset;
  } cases[] = {
      {"\x12", 1, "a number is cut short", 1},
      {"\x0a\x05\x08\x01", 4, "a length of 5 bytes where 2 are left", 1},
      {"\x02\x01", 2, "field number 0 in a Profile", 0},
      {"\x0b\x01", 2, "wire type 3 in a Profile", 0},
      {"\x0f\x01", 2, "wire type 7 in a Profile", 0},
      {"\x08\x01", 2, "field sample_type of a Profile has wire type 0", 0},
      {"\x0a\x02\x0a\x01", 4, "field type of a ValueType has wire type 2", 2},
      {"\x0a\x02\x08\x80", 4, "a number is cut short", 4},
      {"\x4d\x01\x02", 3, "field time_nanos of a Profile has wire type 5", 0},
      {"\x48\x80\x80\x80\x80\x80\x80\x80\x80\x80\x02", 11,
       "a number is longer than 64 bits", 10},
      {"\x12\x04\x0a\x02\x01\x80", 6, "a number is cut short", 6},
      {"\xf9\x07\x01\x02", 4, "a number is cut short", 4},
      {"\x32\x00\x38\x00\x38\x63", 6, "drop_frames or keep_frames refers to",
       4},
      {"\x32\x00\x38\x00\x40\x63", 6, "drop_frames or keep_frames refers to",
       4},
      {"\x32\x00\x70\x00\x70\x63", 6, "the default sample type is a missing",
       4},
      {"\x32\x00\x32\x10mprof.files=none\x68\x00\x68\x01", 24,
       "comment 1 gives mprof.files a value that is not a number of files",
       22},
      {"\x32\x00\xca\x3e\x01\x00\xca\x3e\x01\x09", 10,
       "comment 1 refers to a missing string", 6},
  };
  (void)state;
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    builder_write_bytes(scratch, (const uint8_t *)cases[i].bytes,
                        cases[i].length);
    assert_int_equal(check_refused(scratch, cases[i].reason),
                     cases[i].offset);
  }
}

static void
not_profiles(void **state)
{
  static const struct {
    const char *bytes;
    size_t length;
    const char *reason;
  } cases[] = {
      {"", 0, "the file is empty"},
      {"\177ELF\2\1\1", 7, "is an ELF file, not a profile"},
      {"(defun f (x) x)\n", 16, "is a text file, not a profile"},
      {"\x1f\x8b", 2, "compressed data is cut short"},
      {"\x1f\x8b\x00\x00\x00\x00\x00\x00\x00\x00", 10,
       "unknown compression method"},
      {"PK\3\4\0\0", 6, "is a zip archive, not a profile"},
  };
  (void)state;
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    builder_write_bytes(scratch, (const uint8_t *)cases[i].bytes,
                        cases[i].length);
    check_refused(scratch, cases[i].reason);
  }
}

int
main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_rule),
      cmocka_unit_test(every_wire_fault),
      cmocka_unit_test(not_profiles),
  };
  return RUN_IN_ATTEMPT(tests, make_scratch, remove_scratch);
}
