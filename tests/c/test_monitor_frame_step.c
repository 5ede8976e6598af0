/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * test_monitor_frame_step.c -- each step from a frame to its caller comes to
 * what the compiler's unwinder finds, which walks all of the stack: over
 * functions of this file, and to the end of the stack.  (Callbacks, signals and
 * threads: test_malloc_odd_stacks.c.)
 */
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include <cmocka.h>

#include <unwind.h>

#include "arch/arch.h"
#include "code/frame_step.h"

#ifdef __clang__ /* a function that asks for its frame has one */
#define NOINLINE __attribute__((noinline))
#define FRAMED NOINLINE
#else
#define NOINLINE __attribute__((noinline, noclone))
#define FRAMED                                                               \
  __attribute__((noinline, noclone, optimize("no-omit-frame-pointer")))
#endif

enum { MOST_FRAMES = 400 };

/* The frames of the stack, the innermost first. */
struct walk {
  struct stack_frame frames[MOST_FRAMES];
  size_t count;
};

static __thread size_t steps;
static volatile int sink;

static _Unwind_Reason_Code
add_frame(struct _Unwind_Context *context, void *data)
{
  struct walk *w = data;
  int interrupted = 0;
  struct stack_frame *f = &w->frames[w->count];
  if (w->count == MOST_FRAMES)
    return _URC_NORMAL_STOP;
  f->ip = _Unwind_GetIPInfo(context, &interrupted);
  f->sp = _Unwind_GetCFA(context);
  f->pointer = _Unwind_GetGR(context, ARCH_REGISTER_FRAME_POINTER);
  f->interrupted = interrupted != 0;
  w->count += f->ip != 0;
  return _URC_NO_REASON;
}

/* Step from the caller of this function to the end of the stack. */
static FRAMED void
compare(void)
{
  const uintptr_t *here = ARCH_FRAME;
  struct stack_frame f = {
      .ip = here[1], .sp = arch_frame_stack(here), .pointer = here[0]};
  struct walk w = {.count = 0};
  enum frame_step s = FRAME_STEP_CALLER;
  size_t i = 0;
  _Unwind_Backtrace(add_frame, &w);
  while (w.frames[i].sp != f.sp)
    i++;
  steps = 0;
  for (; i < w.count; i++) {
    struct stack_frame next;
    assert_int_equal(s,
                     f.interrupted ? FRAME_STEP_SIGNAL : FRAME_STEP_CALLER);
    assert_true(f.ip == w.frames[i].ip);
    if (ARCH_FRAME_IS_AT_TOP || !f.interrupted) /* else the kernel's record */
      assert_true(f.sp == w.frames[i].sp);
    assert_true(f.pointer == w.frames[i].pointer);
    assert_int_equal(f.interrupted, w.frames[i].interrupted);
    s = frame_step(&f, &next);
    if (next.certain && next.saved != NULL)
      assert_true(*next.saved == next.pointer);
    if (next.certain && s == FRAME_STEP_CALLER)
      assert_true(arch_return_address(*next.slot) == next.ip);
    f = next;
    steps++;
  }
  assert_int_equal(s, FRAME_STEP_OUTERMOST);
}

static NOINLINE void
fixed(int n)
{
  volatile char room[40];
  room[0] = (char)n;
  compare();
  sink = room[0];
}

/* Its frame is as large as it is told. */
static NOINLINE void
moving(size_t size)
{
  volatile char *room = __builtin_alloca(size);
  room[0] = 1;
  fixed(1);
  sink = room[0];
}

static NOINLINE void
realigned(size_t size)
{
  volatile char aligned[128] __attribute__((aligned(128)));
  volatile char *room = __builtin_alloca(size);
  aligned[0] = room[0] = 1;
  moving(size);
  compare();
  if (size > 40)
    realigned(size - 40);
  sink = aligned[0] + room[0];
}

/* No frame of its own, but for the return address and what is aligned. */
static NOINLINE void
leaf(void)
{
  compare();
  __asm__ volatile("");
}

static void
test_frames(void **state)
{
  (void)state;
  for (size_t i = 0; i < 50; i++) {
    moving(i * 48 + 1);
    assert_true(steps >= 5);
    leaf();
  }
  for (size_t i = 0; i < 5; i++)
    realigned(i * 48 + 1);
}

/* Of code without call-frame information the frame pointer says where the
 * caller is, if it points to the stack, and what it says is an address. */
static void
test_no_information(void **state)
{
  uintptr_t stack[6] = {0};
  const struct stack_frame from = {.ip = (uintptr_t)&sink,
                                   .sp = (uintptr_t)stack,
                                   .pointer = (uintptr_t)&stack[2]};
  struct stack_frame to, wild = from;
  (void)state;
  stack[2] = 17;
  stack[3] = (uintptr_t)fixed;
  assert_int_equal(frame_step(&from, &to), FRAME_STEP_CALLER);
  assert_true(to.ip == stack[3] && to.sp == (uintptr_t)&stack[4] &&
              to.pointer == 17 && to.by_pointer);
  stack[3] = 0;
  assert_int_equal(frame_step(&from, &to), FRAME_STEP_OUTERMOST);
  stack[3] = FRAME_CODE_END; /* or a signed 0, where addresses are signed */
  assert_int_equal(frame_step(&from, &to),
                   arch_return_address(stack[3]) != 0 ? FRAME_STEP_LOST
                                                      : FRAME_STEP_OUTERMOST);
  wild.pointer = 1 << 20;
  assert_int_equal(frame_step(&wild, &to), FRAME_STEP_LOST);
  wild.pointer = from.pointer + 1;
  assert_int_equal(frame_step(&wild, &to), FRAME_STEP_LOST);
}

/* A stack that the program has made ends where nobody knows, below that of the
 * thread: what a register points to above it may be no memory. */
static void
test_end_of_own_stack(void **state)
{
  enum { PAGE = 1 << 16 };
  char *const stack = mmap(NULL, 3 * PAGE, PROT_READ | PROT_WRITE,
                           MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  uintptr_t *const end = (uintptr_t *)(stack + PAGE);
  struct stack_frame from = {.ip = (uintptr_t)&sink,
                             .sp = (uintptr_t)(end - 4)};
  struct stack_frame to;
  (void)state;
  assert_ptr_not_equal(stack, MAP_FAILED);
  assert_true((uintptr_t)stack < (uintptr_t)pthread_self());
  end[1] = (uintptr_t)fixed;
  from.pointer = (uintptr_t)end;
  assert_int_equal(frame_step(&from, &to), FRAME_STEP_CALLER);
  assert_int_equal(mprotect(end, PAGE, PROT_NONE), 0);
  assert_int_equal(frame_step(&from, &to), FRAME_STEP_LOST);
  from.pointer = (uintptr_t)(end - 1);
  assert_int_equal(frame_step(&from, &to), FRAME_STEP_LOST);
  assert_int_equal(munmap(end, PAGE), 0);
  assert_int_equal(frame_step(&from, &to), FRAME_STEP_LOST);
  munmap(stack, 3 * PAGE);
}

/* The rules of code that is gone are found again, from the same code here. */
static void
test_forgotten(void **state)
{
  size_t count = 0;
  (void)state;
  for (int i = 0; i < 20; i++) {
    frame_rules_forget((uintptr_t)fixed, (uintptr_t)fixed + 200);
    moving((size_t)i + 1);
    if (i == 2) /* first they were added in another order */
      count = frame_rules.count;
  }
  assert_int_equal(frame_rules.count, count);
  for (int i = 0; i < 20; i++) {
    frame_rules_forget(0, UINTPTR_MAX);
    realigned(60);
  }
}

static uint64_t
rule_at(uintptr_t ip)
{
  const struct frame_rule rule = frame_rule_at(ip);
  uint64_t value;
  memcpy(&value, &rule, sizeof value);
  return value;
}

/* The rule for a place does not depend on those that were asked for before:
 * backwards through much code, each is found from the beginning of its
 * function; forwards and in leaps, on from where the last one was. */
static void
test_orders(void **state)
{
  enum { BYTES = 20000 };
  static uint64_t rules[BYTES];
  const uintptr_t start = (uintptr_t)qsort;
  size_t several = 0;
  (void)state;
  for (size_t i = BYTES; i-- > 0;) {
    rules[i] = rule_at(start + i);
    several += i + 1 < BYTES && rules[i] != rules[i + 1];
  }
  assert_true(several > 100);
  for (size_t i = 0; i < BYTES; i++)
    assert_int_equal(rule_at(start + i), rules[i]);
  for (size_t i = 0; i < BYTES; i++) {
    const size_t leap = i * 7919 % BYTES;
    assert_int_equal(rule_at(start + leap), rules[leap]);
  }
}

int
main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_frames),
      cmocka_unit_test(test_orders),    cmocka_unit_test(test_forgotten),
      cmocka_unit_test(test_no_information),
      cmocka_unit_test(test_end_of_own_stack),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
