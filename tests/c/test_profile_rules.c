/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The reader against files that break a rule: one file for each rule of the
 * format, faults of its encoding, and files of another kind.  The answer is
 * an error with a reason and an offset.  (test_corrupt.c damages files
 * blindly, test_file_bounds.c has very much of each thing.)
 *
 * The files with one fault each are those of tests/corrupt: the profile
 * widgets of tests/golden, with that fault.
 */

#include "attempting.h"
#include "profile_builder.h"
#include "profile_invariants.h"
#include "scratch_file.h"

struct fault {
  const char *name;   /* of the file in tests/corrupt */
  const char *reason; /* part of the message */
};

static const struct fault faults[] = {
    {"negative-value", "sample 0 has the negative value -16"},
    {"sum-overflow", "the sums overflow at sample 1"},
    {"wrong-sum", "mprof.bytes is 480000, but the samples add up to 480001"},
    {"missing-value", "sample 1 has 4 values where there are 5 sample types"},
    {"missing-location", "sample 1 refers to location 99, which is missing"},
    {"hidden-place",
     "the hidden locations of sample 1 do not match its frames"},
    {"hidden-length",
     "the hidden locations of sample 1 do not match its frames"},
    {"missing-function",
     "location 3 refers to function 77, which is missing"},
    {"missing-mapping", "location 1 refers to mapping 5, which is missing"},
    {"mapping-string", "mapping 3 refers to a missing string"},
    {"period-string", "the period's type refers to a missing string"},
    {"default-string", "the default sample type is a missing string"},
    {"drop-string", "drop_frames or keep_frames refers to a missing string"},
    {"no-files", "a value that is not a number of files"},
    {"zero-id", "location 1 has the id 0"},
    {"double-id", "the function id 1 is used twice"},
    {"missing-string", "function 2 refers to a missing string"},
    {"negative-string", "a label of sample 0 refers to a missing string"},
    {"first-string", "the first string is not empty"},
    {"no-strings", "it has no string table"},
    {"no-heap",
     "is a CPU profile: none of its sample types counts bytes "
     "(cpu/nanoseconds, "},
    {"wrong-unit",
     "alloc_space is measured in 'pages', which is not a unit of bytes"},
    {"no-count", "mprof.rounded_bytes a value that is not a count"},
    {"repeated-count", "repeats mprof.bytes"},
    {"kept-too-much", "sample 0 keeps more than it allocated"},
};

TEST(every_rule)
{
  for (size_t i = 0; i < sizeof faults / sizeof faults[0]; i++) {
    char path[128];
    snprintf(path, sizeof path, "tests/corrupt/%s.data", faults[i].name);
    check_refused(path, faults[i].reason);
  }
}

/* Faults of the encoding, of comments, and of fields of which the last one
 * counts, with the offset that must be named. */
TEST(every_wire_fault)
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
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    builder_write_bytes(scratch, (const uint8_t *)cases[i].bytes,
                        cases[i].length);
    assert_int_equal(check_refused(scratch, cases[i].reason),
                     cases[i].offset);
  }
}

TEST(not_profiles)
{
  static const struct {
    const char *bytes;
    size_t length;
    const char *reason;
  } cases[] = {
      {"", 0, "the file is empty"},
      {"\x1f\x8b", 2, "compressed data is cut short"},
      {"\x1f\x8b\x00\x00\x00\x00\x00\x00\x00\x00", 10,
       "unknown compression method"},
      {"PK\3\4\0\0", 6, "is a zip archive, not a profile"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    builder_write_bytes(scratch, (const uint8_t *)cases[i].bytes,
                        cases[i].length);
    check_refused(scratch, cases[i].reason);
  }
}

RUN_TESTS_IN_ATTEMPT(make_scratch, remove_scratch)
