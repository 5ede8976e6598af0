/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Where a frame word is, as the instruction says that sets it to zero.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/arch.h"

static uint32_t
word_of(const uint8_t *code)
{
  return arch_frame_word((uintptr_t)code);
}

/* movq $0, -8(%rbp) and further, by one byte. */
static void
test_near(void **state)
{
  uint8_t code[] = { 0x48, 0xC7, 0x45, 0, 0, 0, 0, 0 };
  (void)state;
  for (int distance = 8; distance <= 128; distance += 8) {
    code[3] = (uint8_t)-distance;
    assert_int_equal(word_of(code), distance);
  }
}

static void
test_far(void **state)
{
  uint8_t code[] = { 0x48, 0xC7, 0x85, 0, 0, 0, 0, 0, 0, 0, 0 };
  static const int32_t distances[] = { 136, 4096, 0xFFF8 };
  (void)state;
  for (size_t i = 0; i < sizeof distances / sizeof *distances; i++) {
    int32_t d = -distances[i];
    memcpy(code + 3, &d, sizeof d);
    assert_int_equal(word_of(code), distances[i]);
  }
}

/* Above the frame pointer, at an odd place, further than a site can say, from
 * the stack pointer, not a store of eight bytes. */
static void
test_others(void **state)
{
  static const uint8_t codes[][11] = {
    { 0x48, 0xC7, 0x45, 0x08 },
    { 0x48, 0xC7, 0x45, 0x00 },
    { 0x48, 0xC7, 0x45, 0xF9 },
    { 0x48, 0xC7, 0x85, 0x00, 0x00, 0xFF, 0xFF },
    { 0x48, 0xC7, 0x44, 0x24, 0xF8 },
    { 0xC7, 0x45, 0xF8 },
    { 0x48, 0x89, 0x45, 0xF8 },
  };
  (void)state;
  for (size_t i = 0; i < sizeof codes / sizeof *codes; i++)
    assert_int_equal(word_of(codes[i]), 0);
}

int
main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_near),
    cmocka_unit_test(test_far),
    cmocka_unit_test(test_others),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
