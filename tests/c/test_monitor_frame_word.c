/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Where a frame word is, as the instruction says that sets it to zero.
 */

#include "testing.h"

#include "arch/arch.h"

/* How far from its register the instruction is that the code begins with. */
static int32_t
distance(const void *code, int from)
{
  int32_t bytes = 0;
  assert_int_equal(arch_zeroed((uintptr_t)code, &bytes), from);
  return bytes;
}

#ifdef __aarch64__

/* str xzr, [sp, N] and [x29, N]; stur xzr, [x29, -N]. */
TEST(test_words)
{
  for (uint32_t n = 0; n < 4096; n++) {
    const uint32_t by_stack = 0xF90003FF | n << 10;
    const uint32_t by_frame = 0xF90003BF | n << 10;
    assert_int_equal(distance(&by_stack, ARCH_REGISTER_STACK_POINTER), n * 8);
    assert_int_equal(distance(&by_frame, ARCH_REGISTER_FRAME_POINTER), n * 8);
  }
  for (int n = 8; n <= 256; n += 8) {
    const uint32_t below = 0xF80003BF | ((uint32_t)-n & 0x1FF) << 12;
    assert_int_equal(distance(&below, ARCH_REGISTER_FRAME_POINTER), -n);
  }
}

/* Another register is stored, or four bytes, or it is no store. */
TEST(test_others)
{
  static const uint32_t codes[] = {0xF90007E1, 0xB90007FF, 0xF94007FF,
                                   0xD503201F};
  for (size_t i = 0; i < sizeof codes / sizeof *codes; i++)
    distance(&codes[i], -1);
}

#else

/* movq $0, -8(%rbp) and further, by one byte and by four. */
TEST(test_words)
{
  uint8_t near[] = {0x48, 0xC7, 0x45, 0, 0, 0, 0, 0};
  uint8_t far[] = {0x48, 0xC7, 0x85, 0, 0, 0, 0, 0, 0, 0, 0};
  static const int32_t distances[] = {-136, -4096, -0xFFF8};
  for (int n = 8; n <= 128; n += 8) {
    near[3] = (uint8_t)-n;
    assert_int_equal(distance(near, ARCH_REGISTER_FRAME_POINTER), -n);
  }
  for (size_t i = 0; i < sizeof distances / sizeof *distances; i++) {
    memcpy(far + 3, &distances[i], sizeof distances[i]);
    assert_int_equal(distance(far, ARCH_REGISTER_FRAME_POINTER),
                     distances[i]);
  }
}

/* Above the frame pointer, from the stack pointer, not a store of eight
 * bytes. */
TEST(test_others)
{
  static const uint8_t codes[][11] = {
      {0x48, 0xC7, 0x45, 0x08},       {0x48, 0xC7, 0x45, 0x00},
      {0x48, 0xC7, 0x44, 0x24, 0xF8}, {0xC7, 0x45, 0xF8},
      {0x48, 0x89, 0x45, 0xF8},
  };
  for (size_t i = 0; i < sizeof codes / sizeof *codes; i++)
    distance(codes[i], -1);
}

#endif

RUN_TESTS(NULL, NULL)
