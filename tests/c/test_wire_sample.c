/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The decoder of samples, on bytes that our own writer does not make but
 * others may: numbers one by one, unknown fields of each wire type, fields
 * out of order, labels with what they need not have.
 */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "profile.pb-c.h"
#include "profile/wire_sample.h"
#include "profile/wire_scan.h"

static void
decode(struct wire_sample *sample, const uint8_t *data, size_t size)
{
  struct wire_fault fault;
  if (!wire_scan(&mprof__pprof__sample__descriptor, data, size, 0, 1 << 20,
                 &fault))
    fail_msg("%s", fault.reason);
  assert_true(wire_sample_decode(sample, data, size));
}

static void
packed_and_single_numbers(void **state)
{
  static const uint8_t data[] = {
      0x08, 0x07,                   /* location 7 */
      0x0a, 0x04, 0x81, 0x01, 0x02, 0x03, /* locations 129, 2, 3 */
      0x08, 0xff, 0x7f,             /* location 16383 */
      0x12, 0x01, 0x05,             /* value 5 */
      0x10, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01,
      0x0a, 0x00,                   /* no locations */
  };
  static const uint64_t locations[] = {7, 129, 2, 3, 16383};
  struct wire_sample sample = {0};
  (void)state;
  decode(&sample, data, sizeof data);
  assert_int_equal(sample.location_count, 5);
  assert_memory_equal(sample.locations, locations, sizeof locations);
  assert_int_equal(sample.value_count, 2);
  assert_int_equal(sample.values[0], 5);
  assert_true((int64_t)sample.values[1] == -1);
  assert_int_equal(sample.label_count, 0);
  wire_sample_release(&sample);
}

static void
labels_and_unknown_fields(void **state)
{
  static const uint8_t data[] = {
      0x1a, 0x04, 0x08, 0x01, 0x10, 0x02, /* key 1, text 2 */
      0x4d, 1, 2, 3, 4,                   /* field 9: four bytes */
      0x51, 1, 2, 3, 4, 5, 6, 7, 8,       /* field 10: eight bytes */
      0x5a, 0x02, 0x1a, 0x00,             /* field 11: two bytes */
      0x60, 0x80, 0x01,                   /* field 12: a number */
      0x08, 0x04,                         /* location 4 */
      0x1a, 0x0b, 0x4d, 9, 9, 9, 9,       /* a label with a field 9, */
      0x20, 0x05, 0x18, 0x10, 0x08, 0x03, /* unit 5, number 16, key 3 */
      0x1a, 0x00,                         /* a label of nothing */
  };
  struct wire_sample sample = {0};
  (void)state;
  decode(&sample, data, sizeof data);
  assert_int_equal(sample.location_count, 1);
  assert_int_equal(sample.locations[0], 4);
  assert_int_equal(sample.value_count, 0);
  assert_int_equal(sample.label_count, 3);
  const struct wire_label expected[] = {
      {1, 2, 0, 0}, {3, 0, 16, 5}, {0, 0, 0, 0}};
  assert_memory_equal(sample.labels, expected, sizeof expected);
  wire_sample_release(&sample);
}

/* The next sample takes the place of the last. */
static void
one_after_the_other(void **state)
{
  static const uint8_t first[] = {0x0a, 0x02, 0x01, 0x02, 0x12, 0x01, 0x09,
                                  0x1a, 0x02, 0x08, 0x01};
  static const uint8_t second[] = {0x0a, 0x01, 0x03};
  struct wire_sample sample = {0};
  (void)state;
  decode(&sample, first, sizeof first);
  assert_int_equal(sample.location_count, 2);
  assert_int_equal(sample.value_count, 1);
  assert_int_equal(sample.label_count, 1);
  decode(&sample, second, sizeof second);
  assert_int_equal(sample.location_count, 1);
  assert_int_equal(sample.locations[0], 3);
  assert_int_equal(sample.value_count, 0);
  assert_int_equal(sample.label_count, 0);
  wire_sample_release(&sample);
}

int
main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(packed_and_single_numbers),
      cmocka_unit_test(labels_and_unknown_fields),
      cmocka_unit_test(one_after_the_other),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
