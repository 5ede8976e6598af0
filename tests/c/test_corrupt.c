/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Files that were damaged: cut off at every length, and with every byte
 * changed in several ways, plain and compressed.
 * Whatever the file, the answer is one line with a reason and an offset; or,
 * where the damage leaves a profile, its invariants hold, and every command
 * does its work.
 *
 * Some ten thousand files, all in process.  And files that say wrong things
 * of themselves, and faults that are far into a file.
 */

#include <glob.h>

#include "attempting.h"
#include "base/input_file.h"
#include "common/pprof_format.h"
#include "profile_invariants.h"
#include "profile_text.h"
#include "scratch_file.h"

/* Runs the command line ARGUMENTS with the scratch file appended COUNT
 * times; the error line. */
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
  return error;
}

/* Every command takes the scratch file, which is a profile. */
static void
use_everywhere(void)
{
  static const char *const commands[] = {
      "report\n-verbose\n--system=show",
      "report\n--by=package\n--system=hide",
      "export\n--format=folded\n--frames=types,threads,phases",
      "export\n--format=json",
      "export\n--format=pprof",
  };
  for (size_t i = 0; i < sizeof commands / sizeof commands[0]; i++)
    run(commands[i], 1, 0);
  run("diff\n-verbose", 2, 0);
  run("merge\n-o\n/dev/null", 1, 0);
}

/* Reads the LENGTH bytes at DATA as a file; true when they are a profile.
 * Either way the outcome must be proper. */
static bool
try_reading(const uint8_t *data, size_t length)
{
  struct profile profile;
  struct mprof_error error;
  builder_write_bytes(scratch, data, length);
  bool good = read_file(&profile, scratch, &error);
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
  }
  return good;
}

/* The bytes of the file PATH after inflation; the caller frees them. */
static uint8_t *
load(const char *path, size_t *length)
{
  struct input_file file;
  input_file_read(&file, path, (struct input_octets){0});
  *length = file.length;
  uint8_t *copy = malloc(file.length);
  assert_non_null(copy);
  return memcpy(copy, file.data, file.length);
}

static void
cut_everywhere(const uint8_t *data, size_t length)
{
  size_t packed_length;
  uint8_t *packed = builder_gzip(data, length, &packed_length);
  assert_true(try_reading(data, length));
  assert_true(try_reading(packed, packed_length));
  for (size_t i = 0; i < packed_length; i++)
    if (!left_out())
      assert_false(try_reading(packed, i));
  for (size_t i = 0; i < length; i++)
    if (!left_out())
      try_reading(data, i); /* cut between two fields it may be a profile */
  free(packed);
}

static void
flip_bytes(uint8_t *data, size_t length, const uint8_t *flips, size_t count)
{
  for (size_t i = 0; i < length; i++)
    for (size_t j = 0; j < count; j++) {
      if (left_out())
        continue;
      data[i] ^= flips[j];
      try_reading(data, length);
      data[i] ^= flips[j];
    }
}

TEST(every_truncation)
{
  Pprof *b = example("widgets");
  size_t length;
  uint8_t *data = builder_pack(b, &length);
  cut_everywhere(data, length);
  free(data);
  builder_free(b);
  data = load("tests/foreign/go-sampled.pb.gz", &length);
  cut_everywhere(data, length);
  free(data);
}

/* Each bit alone, all of them, and halves of each byte. */
TEST(every_flipped_byte)
{
  static const uint8_t flips[] = {0x01, 0x02, 0x04, 0x08, 0x10, 0x20,
                                  0x40, 0x80, 0xff, 0x0f, 0xf0, 0x55};
  Pprof *b = example("recursion");
  size_t length;
  size_t packed_length;
  uint8_t *data = builder_pack(b, &length);
  uint8_t *packed = builder_gzip(data, length, &packed_length);
  flip_bytes(packed, packed_length, flips, sizeof flips);
  flip_bytes(data, length, flips, sizeof flips);
  free(packed);
  free(data);
  builder_free(b);
}

/* What a file says of itself. */
TEST(absurd_comments)
{
  static const struct {
    const char *comment, *reason;
  } cases[] = {
      {"mprof.files=0", "not a number of files"},
      {"mprof.files=2x", "not a number of files"},
      {"mprof.files=99999999999999999999", "not a number of files"},
      {"mprof.residual_bytes=-9223372036854775809", "that is not a count"},
      {"mprof.contexts=9223372036854775808", "that is not a count"},
      {"mprof.bytes=11", "but the samples add up to 10"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    Pprof *b = example("recursion");
    builder_comment(b, cases[i].comment);
    builder_write(b, scratch);
    builder_free(b);
    check_refused(scratch, cases[i].reason);
  }
  Pprof *b = example("recursion");
  builder_comment(b, "mprof.files=2");
  builder_comment(b, "mprof.contexts=9223372036854775807");
  builder_comment(b, "mprof.contexts=1");
  builder_write(b, scratch);
  builder_free(b);
  check_refused(scratch, "mprof.contexts overflows");
}

/* ---- far into a file ---- */

enum { FRONT_FIELD = 1 << 16, FRONT_BYTES = 32 * FRONT_FIELD };

/* Returns the LENGTH bytes at DATA behind two megabytes of fields that the
 * format does not know, whose bytes would be samples; the caller frees them.
 */
static uint8_t *
behind_front(const uint8_t *data, size_t length)
{
  static const uint8_t tag[] = {0xfa, 0x01, 0xfb, 0xff, 0x03};
  uint8_t *whole = malloc(FRONT_BYTES + length);
  assert_non_null(whole);
  memset(whole, PPROF_SAMPLE << 3 | PPROF_WIRE_BYTES, FRONT_BYTES);
  for (size_t i = 0; i < FRONT_BYTES; i += FRONT_FIELD)
    memcpy(whole + i, tag, sizeof tag);
  memcpy(whole + FRONT_BYTES, data, length);
  return whole;
}

/* Reads the LENGTH bytes at DATA as a file; false, with ERROR, when they are
 * refused. */
static bool
reads(const uint8_t *data, size_t length, struct mprof_error *error)
{
  struct profile profile;
  builder_write_bytes(scratch, data, length);
  return read_file(&profile, scratch, error);
}

/* Checks that the LENGTH bytes at DATA are read, or refused for the same
 * reason and at the same place, behind two megabytes.  Returns whether they
 * are refused. */
static bool
same_behind_front(const uint8_t *data, size_t length, bool packed)
{
  struct mprof_error error, far;
  size_t size = FRONT_BYTES + length;
  uint8_t *whole = behind_front(data, length);
  if (packed) {
    uint8_t *plain = whole;
    whole = builder_gzip(plain, size, &size);
    free(plain);
  }
  bool good = reads(data, length, &error);
  assert_int_equal(reads(whole, size, &far), good);
  if (!good) {
    const char *at = strstr(error.message, " (offset ");
    assert_non_null(at);
    assert_memory_equal(far.message, error.message,
                        (size_t)(at - error.message));
    assert_int_equal(far.offset, error.offset + FRONT_BYTES);
  }
  free(whole);
  return !good;
}

/* Changes every eighth byte of a file with samples, and takes the files that
 * are refused for one fault each. */
TEST(faults_far_into_a_file)
{
  Pprof *b = example("recursion");
  size_t length, refused = 0;
  uint8_t *data = builder_pack(b, &length);
  glob_t files;
  for (size_t i = 0; i < length; i += 8) {
    data[i] ^= 0x07;
    refused += same_behind_front(data, length, false);
    data[i] ^= 0x07;
  }
  assert_true(refused > length / 32);
  free(data);
  builder_free(b);
  assert_int_equal(glob("tests/corrupt/*.data", 0, NULL, &files), 0);
  for (size_t i = 0; i < files.gl_pathc; i++) {
    data = load(files.gl_pathv[i], &length);
    assert_true(same_behind_front(data, length, false));
    assert_true(same_behind_front(data, length, true));
    free(data);
  }
  globfree(&files);
}

RUN_TESTS_IN_ATTEMPT(make_scratch, remove_scratch)
