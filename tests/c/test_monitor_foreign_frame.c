/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * test_monitor_foreign_frame.c -- steps by remembered rules are those that
 * libunwind makes, over functions of this file and of the C library.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "arch/unwind.h"
#include "foreign_frame.h"

enum { MAX_FRAMES = 12 };

static struct foreign_rule rules[FOREIGN_RULES];
static size_t compared; /* steps that were the same */
static uintptr_t fixed_ip;

/* Walk from the caller outward in both ways. */
static __attribute__((noinline)) void
compare(void)
{
  unw_context_t context;
  unw_cursor_t cursor;
  unw_word_t ip, sp, frame;
  struct foreign_registers r;

  assert_int_equal(unw_getcontext(&context), 0);
  assert_int_equal(unw_init_local(&cursor, &context), 0);
  assert_true(unw_step(&cursor) > 0);
  for (int i = 0; i < MAX_FRAMES; i++) {
    unw_get_reg(&cursor, UNW_REG_IP, &ip);
    unw_get_reg(&cursor, UNW_REG_SP, &sp);
    unw_get_reg(&cursor, ARCH_UNWIND_FRAME_POINTER, &frame);
    if (i > 0) {
      assert_true(r.ip == ip);
      assert_true(r.sp == sp);
      assert_true(r.frame == frame);
      compared++;
    }
    r = (struct foreign_registers){ .ip = ip, .sp = sp, .frame = frame };
    if (unw_step(&cursor) <= 0)
      break;
    assert_int_equal(foreign_frame_step(rules, &r), FOREIGN_FRAME);
  }
}

static __attribute__((noinline)) void
fixed(volatile int *depth)
{
  volatile char room[40];
  room[0] = (char)*depth;
  compare();
  *depth += room[0] != 0;
}

/* Its frame is as large as it is told. */
static __attribute__((noinline)) void
moving(size_t size)
{
  volatile char *room = __builtin_alloca(size);
  volatile int depth = 0;
  memset((void *)(uintptr_t)room, 0, size);
  fixed(&depth);
  (void)room[0];
}

static __attribute__((noinline)) void
calls(size_t size)
{
  volatile size_t twice = size * 2;
  moving(twice / 2);
  (void)twice;
}

static int
order(const void *a, const void *b)
{
  fixed_ip = (uintptr_t)__builtin_return_address(0);
  compare();
  return *(const int *)a < *(const int *)b ? -1 : 1;
}

static void
the_same_frames(void **state)
{
  (void)state;
  for (size_t i = 0; i < 50; i++) {
    compared = 0;
    calls(i * 48 + 1);
    assert_true(compared >= 3);
  }
}

static void
through_the_library(void **state)
{
  int numbers[40];
  (void)state;
  for (int i = 0; i < 40; i++)
    numbers[i] = i * 7919 % 41;
  compared = 0;
  qsort(numbers, 40, sizeof *numbers, order);
  assert_true(compared > 300);
  for (int i = 1; i < 40; i++)
    assert_true(numbers[i - 1] < numbers[i]);
}

/* What was learned: the sorting function's frame is of one size, and nothing
 * is known once it is forgotten. */
static void
rules_that_were_learned(void **state)
{
  uintptr_t distance;
  (void)state;
  distance = foreign_frame_distance(rules, fixed_ip);
  assert_true(distance > 0 && distance % sizeof(uintptr_t) == 0);
  assert_int_equal(foreign_frame_distance(rules, fixed_ip + 1), 0);
  foreign_frame_forget(rules);
  assert_int_equal(foreign_frame_distance(rules, fixed_ip), 0);
}

int
main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(the_same_frames),
    cmocka_unit_test(through_the_library),
    cmocka_unit_test(rules_that_were_learned),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
