/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Marked frames return where they came from, with all return values as they
 * were; marks that a jump left behind are dropped.
 */
#include <complex.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "arch/arch.h"
#include "marker_stack.h"

static struct marker_stack markers;

/* Mark the frame of the function that this stands in. */
#define MARK(up)                                                        \
  assert_true(marker_stack_push(                                        \
      &markers, frame_return_slot((uintptr_t)__builtin_frame_address(0)), \
      up))

/* As between compiled Lisp functions: no caller knows its callee. */
#ifdef __clang__
#define NOINLINE __attribute__((noinline))
#else
#define NOINLINE __attribute__((noipa))
#endif

static size_t
depth(void)
{
  return (size_t)(markers.top - markers.bottom);
}

static int
set_up(void **state)
{
  (void)state;
  mprof_markers = &markers;
  return marker_stack_init(&markers, 100000);
}

static int
tear_down(void **state)
{
  (void)state;
  marker_stack_release(&markers);
  mprof_markers = NULL;
  return 0;
}

struct two_words {
  long first, second;
};

static NOINLINE long
give_long(long x)
{
  MARK(1);
  return x * 3;
}

static NOINLINE struct two_words
give_two_words(long x)
{
  MARK(1);
  return (struct two_words){ x + 1, x + 2 };
}

static NOINLINE double
give_double(double x)
{
  MARK(1);
  return x * 2;
}

static NOINLINE double complex
give_complex(double x)
{
  MARK(1);
  return CMPLX(x, x + 1);
}

static NOINLINE long double
give_long_double(long double x)
{
  MARK(1);
  return x / 3;
}

static void
test_return_values(void **state)
{
  struct two_words words;
  double complex z;
  volatile long x = 14;
  (void)state;
  assert_int_equal(give_long(x), 42);
  words = give_two_words(x);
  assert_int_equal(words.first, 15);
  assert_int_equal(words.second, 16);
  assert_true(give_double((double)x) == 28.0);
  z = give_complex((double)x);
  assert_true(creal(z) == 14.0 && cimag(z) == 15.0);
  assert_true(give_long_double(x) == 14.0L / 3);
  assert_int_equal(depth(), 0);
}

/* Local variables in callee-saved registers live through marked calls. */
static void
test_saved_registers(void **state)
{
  volatile long seed = 5;
  long a = seed, b = seed + 1, c = seed + 2, d = seed + 3, e = seed + 4;
  (void)state;
  for (int i = 0; i < 1000; i++) {
    a += give_long(b);
    b += give_long(c) % 7;
    c += give_long(d) % 5;
    d ^= give_long(e);
    e += give_long(a) % 3;
  }
  {
    long p = seed, q = seed + 1, r = seed + 2, s = seed + 3, t = seed + 4;
    for (int i = 0; i < 1000; i++) {
      p += q * 3;
      q += r * 3 % 7;
      r += s * 3 % 5;
      s ^= t * 3;
      t += p * 3 % 3;
    }
    assert_int_equal(a, p);
    assert_int_equal(b, q);
    assert_int_equal(c, r);
    assert_int_equal(d, s);
    assert_int_equal(e, t);
  }
}

static NOINLINE long
recurse(long n)
{
  long below;
  MARK((uint32_t)n);
  if (n == 0)
    return (long)depth();
  below = recurse(n - 1);
  assert_int_equal(markers.top->up, n); /* our own mark is on top again */
  return below;
}

static void
test_deep(void **state)
{
  (void)state;
  assert_int_equal(recurse(20000), 20001);
  assert_int_equal(depth(), 0);
}

static jmp_buf target;

static void jump_out(int n);
static void (*volatile jump_further)(int) = jump_out;

static NOINLINE void
jump_out(int n)
{
  MARK(100 + (uint32_t)n);
  if (n == 0)
    longjmp(target, 1);
  jump_further(n - 1);
  fail();
}

static NOINLINE long
catch_jump(long x)
{
  volatile long kept = x;
  MARK(7);
  if (setjmp(target) == 0)
    jump_out(50);
  assert_int_equal(depth(), 52); /* the dead ones are still there */
  return kept + 1;               /* and are dropped here */
}

static void
test_jump_leaves_dead_marks(void **state)
{
  (void)state;
  for (int i = 0; i < 1000; i++) {
    assert_int_equal(catch_jump(i), i + 1);
    assert_int_equal(depth(), 0);
  }
}

static NOINLINE long
find_after_jump(long x)
{
  uintptr_t *slot =
      frame_return_slot((uintptr_t)__builtin_frame_address(0));
  MARK(7);
  if (setjmp(target) == 0)
    jump_out(5);
  assert_true(marker_stack_is_marked(slot));
  assert_int_equal(marker_stack_find(&markers, slot)->up, 7);
  assert_int_equal(depth(), 1);
  return x;
}

static void
test_find_drops_dead_marks(void **state)
{
  (void)state;
  assert_int_equal(find_after_jump(3), 3);
  assert_int_equal(depth(), 0);
}

static NOINLINE long
restored(long n)
{
  MARK(1);
  if (n > 0)
    return restored(n - 1) + 1;
  marker_stack_restore(&markers);
  assert_int_equal(depth(), 0);
  return 0;
}

static void
test_restore(void **state)
{
  (void)state;
  assert_int_equal(restored(100), 100);
  assert_int_equal(depth(), 0);
}

static NOINLINE int
mark_beyond_limit(int n)
{
  int pushed = marker_stack_push(
      &markers, frame_return_slot((uintptr_t)__builtin_frame_address(0)), 1);
  return n == 0 ? pushed : pushed + mark_beyond_limit(n - 1);
}

static void
test_full_stack(void **state)
{
  struct marker *limit = markers.limit;
  (void)state;
  markers.limit = markers.bottom + 10;
  assert_int_equal(mark_beyond_limit(20), 10);
  markers.limit = limit;
  assert_int_equal(depth(), 0);
}

int
main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_return_values),
    cmocka_unit_test(test_saved_registers),
    cmocka_unit_test(test_deep),
    cmocka_unit_test(test_jump_leaves_dead_marks),
    cmocka_unit_test(test_find_drops_dead_marks),
    cmocka_unit_test(test_restore),
    cmocka_unit_test(test_full_stack),
  };
  return cmocka_run_group_tests(tests, set_up, tear_down);
}
