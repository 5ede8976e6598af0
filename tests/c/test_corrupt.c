/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Files that were damaged: cut off at every length, and with every byte
 * changed in several ways, plain and compressed, our own and one of Go's.
 * Then files that claim absurd things.  Whatever the file, the answer is one
 * line with a reason and an offset; or, where the damage leaves a profile,
 * its invariants hold, and every command does its work.
 *
 * Some ten thousand files, all in process.
 */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "example_profiles.h"
#include "base/input_file.h"
#include "mprof.h"
#include "pprof/reader.h"
#include "pprof/wire_write.h"
#include "profile_invariants.h"
#include "scratch_file.h"

/* Runs the command line ARGUMENTS with the scratch file appended COUNT
 * times; the error line, which the caller frees. */
static char *
run(const char *arguments, int count, int wanted)
{
  char line[256];
  char *output;
  char *error;
  size_t used = (size_t)snprintf(line, sizeof line, "%s", arguments);
  for (int i = 0; i < count; i++)
    used +=
        (size_t)snprintf(line + used, sizeof line - used, "\n%s", scratch);
  int status = mprof_command(line, &output, &error);
  if (status != wanted)
    fail_msg("status %d of %s: %s", status, line, error);
  if (status != 0)
    assert_string_equal(output, "");
  mprof_string_free(output);
  return error;
}

/* Every command takes the scratch file, which is a profile. */
static void
use_everywhere(void)
{
  static const char *const commands[] = {
      "report\n-verbose\n--show-runtime",
      "report\n--by=package\n--hide-system",
      "export\n--format=folded\n--types\n--threads\n--phases",
      "export\n--format=json",
      "export\n--format=pprof",
  };
  for (size_t i = 0; i < sizeof commands / sizeof commands[0]; i++)
    mprof_string_free(run(commands[i], 1, 0));
  mprof_string_free(run("diff\n-verbose", 2, 0));
  mprof_string_free(run("merge\n-o\n/dev/null", 1, 0));
}

/* Reads the LENGTH bytes at DATA as a file; true when they are a profile.
 * Either way the outcome must be proper. */
static bool
try_reading(const uint8_t *data, size_t length)
{
  struct profile profile;
  struct mprof_error error;
  mprof_error_clear(&error);
  builder_write_bytes(scratch, data, length);
  bool good = read_file(&profile, scratch, &input_limits_default, &error);
  if (good) {
    check_invariants(&profile);
    use_everywhere();
  } else {
    assert_int_equal(error.code, MPROF_BAD_PROFILE);
    assert_true(error.offset >= 0);
    assert_non_null(strstr(error.message, scratch));
    assert_non_null(strstr(error.message, "(offset "));
    char *message = run("report", 1, 1);
    assert_string_equal(message, error.message);
    mprof_string_free(message);
  }
  profile_release(&profile);
  return good;
}

/* The bytes of the file PATH after inflation; the caller frees them. */
static uint8_t *
load(const char *path, size_t *length)
{
  struct input_file file;
  struct mprof_error error;
  mprof_error_clear(&error);
  if (!input_file_read(&file, path, &input_limits_default, &error))
    fail_msg("%s", error.message);
  *length = file.length;
  return file.data;
}

static void
cut_everywhere(const uint8_t *data, size_t length)
{
  size_t packed_length;
  uint8_t *packed = builder_gzip(data, length, &packed_length);
  assert_true(try_reading(data, length));
  assert_true(try_reading(packed, packed_length));
  for (size_t i = 0; i < packed_length; i++)
    assert_false(try_reading(packed, i));
  for (size_t i = 0; i < length; i++)
    try_reading(data, i); /* cut between two fields it may be a profile */
  free(packed);
}

static void
flip_bytes(uint8_t *data, size_t length, const uint8_t *flips, size_t count)
{
  for (size_t i = 0; i < length; i++)
    for (size_t j = 0; j < count; j++) {
      data[i] ^= flips[j];
      try_reading(data, length);
      data[i] ^= flips[j];
    }
}

static void
every_truncation(void **state)
{
  struct builder *b = example_widgets();
  size_t length;
  uint8_t *data = builder_pack(b, &length);
  (void)state;
  cut_everywhere(data, length);
  free(data);
  builder_free(b);
  data = load("tests/foreign/go-sampled.pb.gz", &length);
  cut_everywhere(data, length);
  free(data);
}

/* Each bit alone, all of them, and halves of each byte. */
static void
every_flipped_byte(void **state)
{
  static const uint8_t flips[] = {0x01, 0x02, 0x04, 0x08, 0x10, 0x20,
                                  0x40, 0x80, 0xff, 0x0f, 0xf0, 0x55};
  struct builder *b = example_recursion();
  size_t length;
  size_t packed_length;
  uint8_t *data = builder_pack(b, &length);
  uint8_t *packed = builder_gzip(data, length, &packed_length);
  (void)state;
  flip_bytes(packed, packed_length, flips, sizeof flips);
  flip_bytes(data, length, flips, sizeof flips);
  free(packed);
  free(data);
  builder_free(b);
}

/* A profile with mappings, inlined lines and frames to drop. */
static void
every_flipped_byte_of_go(void **state)
{
  static const uint8_t flips[] = {0x01, 0x08, 0x80, 0xff};
  size_t length;
  size_t packed_length;
  uint8_t *data = load("tests/foreign/go-sampled.pb.gz", &length);
  uint8_t *packed = builder_gzip(data, length, &packed_length);
  (void)state;
  flip_bytes(packed, packed_length, flips + 1, 2);
  flip_bytes(data, length, flips, sizeof flips);
  free(packed);
  free(data);
}

/* Two bytes at once, such as a tag and its length. */
static void
neighbours(void **state)
{
  struct builder *b = example_recursion();
  size_t length;
  uint8_t *data = builder_pack(b, &length);
  (void)state;
  for (size_t i = 0; i + 1 < length; i++) {
    uint8_t swapped = data[i];
    data[i] = data[i + 1];
    data[i + 1] = swapped;
    try_reading(data, length);
    data[i + 1] = data[i];
    data[i] = swapped;
  }
  free(data);
  builder_free(b);
}

/* A piece of the file in the place of another, and a piece left out. */
static void
moved_pieces(void **state)
{
  enum { PIECE = 7 };
  struct builder *b = example_recursion();
  size_t length;
  uint8_t *data = builder_pack(b, &length);
  uint8_t *copy = malloc(length);
  (void)state;
  assert_non_null(copy);
  for (size_t i = 0; i + PIECE < length; i++) {
    memcpy(copy, data, length);
    memcpy(copy + i, data + (i * 31) % (length - PIECE), PIECE);
    try_reading(copy, length);
    memcpy(copy, data, i);
    memcpy(copy + i, data + i + PIECE, length - i - PIECE);
    try_reading(copy, length - PIECE);
  }
  free(copy);
  free(data);
  builder_free(b);
}

/* A message that is being made by hand. */
static void
try_buffer(struct wire_buffer *buffer, const char *reason)
{
  struct mprof_error error;
  struct profile profile;
  assert_false(buffer->failed);
  builder_write_bytes(scratch, buffer->bytes, buffer->count);
  mprof_error_clear(&error);
  bool good = read_file(&profile, scratch, &input_limits_default, &error);
  profile_release(&profile);
  wire_buffer_release(buffer);
  assert_false(good);
  if (strstr(error.message, reason) == NULL)
    fail_msg("%s, and not %s", error.message, reason);
  assert_int_equal(error.code, MPROF_BAD_PROFILE);
  assert_true(error.offset >= 0);
}

/* Counts and lengths that no file can hold. */
static void
absurd_lengths(void **state)
{
  static const char *const bytes[] = {
      "\x12\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", /* 2^64 - 1 */
      "\x12\xff\xff\xff\xff\xff\xff\xff\xff\x7f",     /* 2^63 - 1 */
      "\x32\xff\xff\xff\xff\x0f",                     /* 2^32 - 1 */
      "\x12\x09\x0a\xff\xff\xff\xff\xff\xff\xff\x7f",
      "\x12\x80\x80\x80\x80\x80\x80\x80\x80\x40",
  };
  (void)state;
  for (size_t i = 0; i < sizeof bytes / sizeof bytes[0]; i++) {
    struct wire_buffer buffer = {0};
    size_t length = strlen(bytes[i]);
    buffer.bytes = malloc(length);
    assert_non_null(buffer.bytes);
    memcpy(buffer.bytes, bytes[i], length);
    buffer.count = length;
    try_buffer(&buffer, "where ");
  }
}

/* Very many sample types, values, locations and labels. */
static void
many_of_each(void **state)
{
  enum { MANY = 200000 };
  struct wire_buffer whole = {0};
  struct wire_buffer part = {0};
  struct wire_buffer label = {0};
  uint64_t *numbers = malloc(MANY * sizeof *numbers);
  (void)state;
  assert_non_null(numbers);
  for (size_t i = 0; i < MANY; i++)
    numbers[i] = 1;
  for (size_t i = 0; i < MANY; i++)
    wire_put_message(&whole, 1, &part);
  wire_put_bytes(&whole, 6, "", 0);
  try_buffer(&whole, "is no heap profile: none of its sample types counts "
                     "bytes (/, /, /");

  wire_put_number(&part, 1, 1);
  wire_put_number(&part, 2, 2);
  wire_put_message(&whole, 1, &part);
  wire_put_packed(&part, 1, numbers, MANY);
  wire_put_packed(&part, 2, numbers, MANY);
  wire_put_message(&whole, 2, &part);
  wire_put_bytes(&whole, 6, "", 0);
  wire_put_bytes(&whole, 6, "space", 5);
  wire_put_bytes(&whole, 6, "bytes", 5);
  try_buffer(&whole, "sample 0 has 200000 values where there are 1 sample");

  wire_put_number(&part, 1, 1);
  wire_put_number(&part, 2, 2);
  wire_put_message(&whole, 1, &part);
  wire_put_packed(&part, 2, numbers, 1);
  for (size_t i = 0; i < MANY; i++) {
    wire_put_number(&label, 1, 3);
    wire_put_number(&label, 3, i + 1);
    wire_put_message(&part, 3, &label);
  }
  wire_put_packed(&part, 1, numbers, MANY);
  wire_put_message(&whole, 2, &part);
  wire_put_bytes(&whole, 6, "", 0);
  wire_put_bytes(&whole, 6, "space", 5);
  wire_put_bytes(&whole, 6, "bytes", 5);
  wire_put_bytes(&whole, 6, "bytes", 5);
  try_buffer(&whole, "sample 0 refers to location 1, which is missing");
  wire_buffer_release(&part);
  wire_buffer_release(&label);
  free(numbers);
}

/* One location that is a million frames, named a thousand times: the chains
 * of a few kilobytes of input would take four gigabytes. */
static void
multiplied_frames(void **state)
{
  enum { LINES = 1 << 20, TIMES = 1 << 10 };
  struct wire_buffer whole = {0};
  struct wire_buffer part = {0};
  struct wire_buffer line = {0};
  uint64_t numbers[TIMES];
  (void)state;
  for (size_t i = 0; i < TIMES; i++)
    numbers[i] = 1;
  wire_put_number(&part, 1, 1);
  wire_put_number(&part, 2, 2);
  wire_put_message(&whole, 1, &part);
  wire_put_packed(&part, 1, numbers, TIMES);
  wire_put_packed(&part, 2, numbers, 1);
  wire_put_message(&whole, 2, &part);
  wire_put_number(&part, 1, 1);
  for (size_t i = 0; i < LINES; i++) {
    wire_put_number(&line, 1, 1);
    wire_put_message(&part, 4, &line);
  }
  wire_put_message(&whole, 4, &part);
  wire_put_number(&part, 1, 1);
  wire_put_message(&whole, 5, &part);
  wire_put_bytes(&whole, 6, "", 0);
  wire_put_bytes(&whole, 6, "space", 5);
  wire_put_bytes(&whole, 6, "bytes", 5);
  wire_buffer_release(&part);
  wire_buffer_release(&line);
  struct input_limits limits = input_limits_default;
  struct mprof_error error;
  struct profile profile;
  limits.decoded_bytes = UINT64_C(1) << 28;
  builder_write_bytes(scratch, whole.bytes, whole.count);
  wire_buffer_release(&whole);
  mprof_error_clear(&error);
  assert_false(read_file(&profile, scratch, &limits, &error));
  if (strstr(error.message,
             "the chains up to sample 0 take more than 268435456 bytes") ==
          NULL &&
      strstr(error.message, "decodes to more than 268435456 bytes") == NULL)
    fail_msg("%s", error.message);
  profile_release(&profile);
}

/* What a file says of itself. */
static void
absurd_comments(void **state)
{
  static const struct {
    const char *comment, *reason;
  } cases[] = {
      {"mprof.files=0", "no number of files"},
      {"mprof.files=-1", "no number of files"},
      {"mprof.files=", "no number of files"},
      {"mprof.files=2x", "no number of files"},
      {"mprof.files=1000000001", "no number of files"},
      {"mprof.files=99999999999999999999", "no number of files"},
      {"mprof.residual_bytes=-9223372036854775809", "that is no count"},
      {"mprof.contexts=9223372036854775808", "that is no count"},
      {"mprof.contexts=-1", "that is no count"},
      {"mprof.contexts=", "that is no count"},
      {"mprof.bytes=11", "but the samples add up to 10"},
  };
  (void)state;
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    struct builder *b = example_recursion();
    builder_comment(b, cases[i].comment);
    builder_write(b, scratch);
    builder_free(b);
    char *error = run("report", 1, 1);
    if (strstr(error, cases[i].reason) == NULL)
      fail_msg("%s: %s", cases[i].comment, error);
    mprof_string_free(error);
  }
  struct builder *b = example_recursion();
  builder_comment(b, "mprof.files=2");
  builder_comment(b, "mprof.contexts=9223372036854775807");
  builder_comment(b, "mprof.contexts=1");
  builder_write(b, scratch);
  builder_free(b);
  char *error = run("report", 1, 1);
  assert_non_null(strstr(error, "mprof.contexts overflows"));
  mprof_string_free(error);
}

int
main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_truncation),
      cmocka_unit_test(every_flipped_byte),
      cmocka_unit_test(every_flipped_byte_of_go),
      cmocka_unit_test(neighbours),
      cmocka_unit_test(moved_pieces),
      cmocka_unit_test(absurd_lengths),
      cmocka_unit_test(many_of_each),
      cmocka_unit_test(multiplied_frames),
      cmocka_unit_test(absurd_comments),
  };
  return cmocka_run_group_tests(tests, make_scratch, remove_scratch);
}
