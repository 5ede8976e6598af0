/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Files that claim absurd things: counts and lengths that no file can hold,
 * very many of each thing, little that decodes to a great deal, and comments
 * that are wrong.  They are refused, and cost little time and memory.
 */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "profile_text.h"
#include "pprof/wire.h"
#include "profile_invariants.h"
#include "scratch_file.h"

/* Megabytes of zeros in a few kilobytes, and a few kilobytes that decode to
 * a great deal: neither may take memory in proportion. */
static void
bombs(void **state)
{
  enum { BOMB_BYTES = 48 << 20, SMALL = 100000 };
  const struct input_limits narrow = {.data_bytes = SMALL,
                                      .free_bytes = SMALL,
                                      .ratio = 400,
                                      .memory_free = SMALL};
  size_t packed_length;
  uint8_t *zeros = calloc(1, BOMB_BYTES);
  (void)state;
  assert_non_null(zeros);
  uint8_t *packed = builder_gzip(zeros, BOMB_BYTES, &packed_length);
  builder_write_bytes(scratch, packed, packed_length);
  check_refused(scratch, "expands more than any profile does");
  free(packed);
  free(zeros);

  uint8_t samples[6000];
  for (size_t i = 0; i < sizeof samples; i += 2)
    memcpy(samples + i, "\x12\x00", 2);
  builder_write_bytes(scratch, samples, sizeof samples);
  check_refused_within(scratch, &narrow, "decodes to more than 100000 bytes");
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
    builder_write_bytes(scratch, (const uint8_t *)bytes[i], strlen(bytes[i]));
    check_refused(scratch, "where ");
  }
}

/* The one sample type is strings 1 and 2, which put_strings adds. */
static void
put_type(struct wire_buffer *whole)
{
  struct wire_buffer type = {0};
  wire_put_number(&type, 1, 1);
  wire_put_number(&type, 2, 2);
  wire_put_message(whole, 1, &type);
  wire_buffer_release(&type);
}

static void
put_strings(struct wire_buffer *whole)
{
  wire_put_bytes(whole, 6, "", 0);
  wire_put_bytes(whole, 6, "space", 5);
  wire_put_bytes(whole, 6, "bytes", 5);
}

/* The message, which becomes empty, is refused. */
static void
try_buffer(struct wire_buffer *whole, const struct input_limits *limits,
           const char *reason)
{
  assert_false(whole->failed);
  builder_write_bytes(scratch, whole->bytes, whole->count);
  wire_buffer_release(whole);
  check_refused_within(scratch, limits, reason);
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
  try_buffer(&whole, &input_limits_default,
             "is not a heap profile: none of its sample types counts bytes (/, "
             "/, /");

  put_type(&whole);
  wire_put_packed(&part, 1, numbers, MANY);
  wire_put_packed(&part, 2, numbers, MANY);
  wire_put_message(&whole, 2, &part);
  put_strings(&whole);
  try_buffer(&whole, &input_limits_default,
             "sample 0 has 200000 values where there are 1 sample");

  put_type(&whole);
  wire_put_packed(&part, 2, numbers, 1);
  for (size_t i = 0; i < MANY; i++) {
    wire_put_number(&label, 1, 3);
    wire_put_number(&label, 3, i + 1);
    wire_put_message(&part, 3, &label);
  }
  wire_put_packed(&part, 1, numbers, MANY);
  wire_put_message(&whole, 2, &part);
  put_strings(&whole);
  wire_put_bytes(&whole, 6, "bytes", 5);
  try_buffer(&whole, &input_limits_default,
             "sample 0 refers to location 1, which is missing");
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
  put_type(&whole);
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
  put_strings(&whole);
  wire_buffer_release(&part);
  wire_buffer_release(&line);
  struct input_limits limits = input_limits_default;
  limits.memory_ratio = 0;
  try_buffer(&whole, &limits,
             "the chains up to sample 0 take more than 268435456 bytes");
}

/* What a file says of itself. */
static void
absurd_comments(void **state)
{
  static const struct {
    const char *comment, *reason;
  } cases[] = {
      {"mprof.files=0", "not a number of files"},
      {"mprof.files=-1", "not a number of files"},
      {"mprof.files=", "not a number of files"},
      {"mprof.files=2x", "not a number of files"},
      {"mprof.files=1000000001", "not a number of files"},
      {"mprof.files=99999999999999999999", "not a number of files"},
      {"mprof.residual_bytes=-9223372036854775809", "that is not a count"},
      {"mprof.contexts=9223372036854775808", "that is not a count"},
      {"mprof.contexts=-1", "that is not a count"},
      {"mprof.contexts=", "that is not a count"},
      {"mprof.bytes=11", "but the samples add up to 10"},
  };
  (void)state;
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    struct builder *b = example("recursion");
    builder_comment(b, cases[i].comment);
    builder_write(b, scratch);
    builder_free(b);
    check_refused(scratch, cases[i].reason);
  }
  struct builder *b = example("recursion");
  builder_comment(b, "mprof.files=2");
  builder_comment(b, "mprof.contexts=9223372036854775807");
  builder_comment(b, "mprof.contexts=1");
  builder_write(b, scratch);
  builder_free(b);
  check_refused(scratch, "mprof.contexts overflows");
}

int
main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(bombs),
      cmocka_unit_test(absurd_lengths),
      cmocka_unit_test(many_of_each),
      cmocka_unit_test(multiplied_frames),
      cmocka_unit_test(absurd_comments),
  };
  return cmocka_run_group_tests(tests, make_scratch, remove_scratch);
}
