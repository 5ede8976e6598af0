/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * test_monitor_first_object.c -- machine code written by hand: what comes
 * before what.  Each function has its calls by their distance from its entry;
 * a call of the code behind it makes an object.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "first_object.h"

#define RET 0xC3
#define NOP 0x90
#define JNZ(distance) 0x75, (uint8_t)(distance)
#define JMP(distance) 0xEB, (uint8_t)(distance)
/* At `at' bytes from the entry: a call of the constructor. */
#define OBJECT(at) 0xE8, (uint8_t)(CONSTRUCTOR - (at)-5), 0, 0, 0
#define CALL_RAX 0xFF, 0xD0
#define JMP_RAX 0xFF, 0xE0

enum { CONSTRUCTOR = 100 };

static uintptr_t constructor;

static bool
allocates(uintptr_t function)
{
  return function == constructor;
}

static void
expect(enum call_order order, size_t returns_to, const uint8_t *bytes,
       size_t size)
{
  const uintptr_t start = (uintptr_t)bytes;
  constructor = start + CONSTRUCTOR;
  assert_int_equal(
      first_object_order((struct function_code){ start, start + size },
                         start + returns_to, allocates),
      order);
}

#define EXPECT(order, returns_to, ...)                                       \
  do {                                                                       \
    static const uint8_t bytes[] = { __VA_ARGS__ };                          \
    expect(order, returns_to, bytes, sizeof bytes);                          \
  } while (0)

static void
in_a_row(void **state)
{
  (void)state;
  EXPECT(ORDER_FIRST, 5, OBJECT(0), CALL_RAX, RET);
  EXPECT(ORDER_AFTER, 7, OBJECT(0), CALL_RAX, RET);
  EXPECT(ORDER_AFTER, 10, OBJECT(0), OBJECT(5), RET);
  EXPECT(ORDER_FIRST, 5, OBJECT(0), RET);
  EXPECT(ORDER_UNKNOWN, 2, CALL_RAX, OBJECT(2), CALL_RAX, RET);
  EXPECT(ORDER_FIRST, 7, CALL_RAX, OBJECT(2), CALL_RAX, RET);
  EXPECT(ORDER_AFTER, 9, CALL_RAX, OBJECT(2), CALL_RAX, RET);
  EXPECT(ORDER_UNKNOWN, 2, CALL_RAX, CALL_RAX, RET);
  EXPECT(ORDER_UNKNOWN, 1, OBJECT(0), RET); /* no call returns to this */
  EXPECT(ORDER_UNKNOWN, 8, OBJECT(0), RET, CALL_RAX, RET); /* not reached */
}

static void
past_the_object(void **state)
{
  (void)state;
  /* a way to the call leads past the object */
  EXPECT(ORDER_UNKNOWN, 7, JNZ(5), OBJECT(2), CALL_RAX, RET);
  EXPECT(ORDER_UNKNOWN, 9, JNZ(5), OBJECT(2), CALL_RAX, RET);
  /* one that leads out of the function */
  EXPECT(ORDER_FIRST, 8, JNZ(1), RET, OBJECT(3), CALL_RAX, RET);
  EXPECT(ORDER_AFTER, 10, JNZ(1), RET, OBJECT(3), CALL_RAX, RET);
  /* one of two objects */
  EXPECT(ORDER_FIRST, 7, JNZ(7), OBJECT(2), JMP(5), OBJECT(9), CALL_RAX, RET);
  EXPECT(ORDER_FIRST, 14, JNZ(7), OBJECT(2), JMP(5), OBJECT(9), CALL_RAX,
         RET);
  EXPECT(ORDER_AFTER, 16, JNZ(7), OBJECT(2), JMP(5), OBJECT(9), CALL_RAX,
         RET);
  /* two ways that do not meet */
  EXPECT(ORDER_AFTER, 9, JNZ(8), OBJECT(2), CALL_RAX, RET, OBJECT(10),
         CALL_RAX, RET);
  EXPECT(ORDER_AFTER, 17, JNZ(8), OBJECT(2), CALL_RAX, RET, OBJECT(10),
         CALL_RAX, RET);
}

static void
loops(void **state)
{
  (void)state;
  /* of the object: it may come after itself */
  EXPECT(ORDER_UNKNOWN, 5, OBJECT(0), JNZ(-7), CALL_RAX, RET);
  EXPECT(ORDER_AFTER, 9, OBJECT(0), JNZ(-7), CALL_RAX, RET);
  /* of what comes after it */
  EXPECT(ORDER_FIRST, 5, OBJECT(0), CALL_RAX, JNZ(-4), RET);
  EXPECT(ORDER_AFTER, 7, OBJECT(0), CALL_RAX, JNZ(-4), RET);
  /* of what comes before it */
  EXPECT(ORDER_UNKNOWN, 2, CALL_RAX, JNZ(-4), OBJECT(4), CALL_RAX, RET);
  EXPECT(ORDER_AFTER, 11, CALL_RAX, JNZ(-4), OBJECT(4), CALL_RAX, RET);
}

static void
expect_once(bool once, size_t returns_to, const uint8_t *bytes, size_t size)
{
  const uintptr_t start = (uintptr_t)bytes;
  assert_int_equal(
      first_object_comes_once((struct function_code){ start, start + size },
                              start + returns_to),
      once);
}

#define EXPECT_ONCE(once, returns_to, ...)                                   \
  do {                                                                       \
    static const uint8_t bytes[] = { __VA_ARGS__ };                          \
    expect_once(once, returns_to, bytes, sizeof bytes);                      \
  } while (0)

static void
comes_once(void **state)
{
  (void)state;
  EXPECT_ONCE(true, 2, CALL_RAX, CALL_RAX, RET);
  EXPECT_ONCE(false, 2, CALL_RAX, JNZ(-4), CALL_RAX, RET);
  EXPECT_ONCE(true, 6, CALL_RAX, JNZ(-4), CALL_RAX, RET);
  EXPECT_ONCE(false, 4, CALL_RAX, CALL_RAX, JNZ(-6), RET);
  EXPECT_ONCE(true, 2, CALL_RAX, CALL_RAX, JNZ(-4), RET);
  EXPECT_ONCE(true, 4, JNZ(3), CALL_RAX, RET, CALL_RAX, RET);
  EXPECT_ONCE(false, 2, CALL_RAX, JMP_RAX);
  EXPECT_ONCE(false, 2, CALL_RAX, JMP(50));
}

static void
cannot_be_followed(void **state)
{
  (void)state;
  EXPECT(ORDER_UNKNOWN, 5, OBJECT(0), CALL_RAX, JMP_RAX);
  EXPECT(ORDER_UNKNOWN, 5, OBJECT(0), CALL_RAX, JMP(50)); /* out of it */
  EXPECT(ORDER_UNKNOWN, 5, OBJECT(0), CALL_RAX, NOP);     /* beyond its end */
  EXPECT(ORDER_UNKNOWN, 5, OBJECT(0), CALL_RAX, 0x06, RET); /* no code */
  EXPECT(ORDER_AFTER, 7, OBJECT(0), CALL_RAX); /* which does not return */
}

static void
too_large(void **state)
{
  static uint8_t bytes[2000] = { OBJECT(0), CALL_RAX };
  (void)state;
  for (size_t i = 7; i < sizeof bytes; i++)
    bytes[i] = NOP;
  bytes[299] = RET;
  expect(ORDER_FIRST, 5, bytes, sizeof bytes);
  bytes[299] = NOP;
  bytes[1999] = RET;
  expect(ORDER_UNKNOWN, 5, bytes, sizeof bytes);
}

/* What is before the object, and what comes after it, can be looked at, but
 * not all together: then neither has an order. */
static void
too_many_calls(void **state)
{
  static uint8_t bytes[] = {
    JNZ(51), OBJECT(2), /* the object, and 22 calls */
    CALL_RAX, CALL_RAX, CALL_RAX, CALL_RAX, CALL_RAX, CALL_RAX, CALL_RAX,
    CALL_RAX, CALL_RAX, CALL_RAX, CALL_RAX, CALL_RAX, CALL_RAX, CALL_RAX,
    CALL_RAX, CALL_RAX, CALL_RAX, CALL_RAX, CALL_RAX, CALL_RAX, CALL_RAX,
    CALL_RAX, RET, RET, /* 53: 22 calls */
    CALL_RAX, CALL_RAX, CALL_RAX, CALL_RAX, CALL_RAX, CALL_RAX, CALL_RAX,
    CALL_RAX, CALL_RAX, CALL_RAX, CALL_RAX, CALL_RAX, CALL_RAX, CALL_RAX,
    CALL_RAX, CALL_RAX, CALL_RAX, CALL_RAX, CALL_RAX, CALL_RAX, CALL_RAX,
    CALL_RAX, RET
  };
  (void)state;
  expect(ORDER_UNKNOWN, 7, bytes, sizeof bytes);
  expect(ORDER_UNKNOWN, 9, bytes, sizeof bytes);
  bytes[61] = RET;
  expect(ORDER_FIRST, 7, bytes, sizeof bytes);
  expect(ORDER_AFTER, 9, bytes, sizeof bytes);
}

int
main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(in_a_row),
    cmocka_unit_test(past_the_object),
    cmocka_unit_test(loops),
    cmocka_unit_test(comes_once),
    cmocka_unit_test(cannot_be_followed),
    cmocka_unit_test(too_large),
    cmocka_unit_test(too_many_calls),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
