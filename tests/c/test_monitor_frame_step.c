/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * test_monitor_frame_step.c -- steps from frames that no program has at will:
 * of code without call-frame information, and at the end of a stack that the
 * program has made; and rules, in whatever order they are asked for.  (What
 * the compiler's unwinder finds: test_malloc_odd_stacks.c.)
 */

#include "testing.h"

#include "arch/arch.h"
#include "code/frame_step.h"

static volatile int sink;

/* Of code without call-frame information the frame pointer says where the
 * caller is, if it points to the stack, and what it says is an address. */
TEST(test_no_information)
{
  uintptr_t stack[6] = {0};
  const struct stack_frame from = {.ip = (uintptr_t)&sink,
                                   .sp = (uintptr_t)stack,
                                   .pointer = (uintptr_t)&stack[2]};
  struct stack_frame to, wild = from;
  stack[2] = 17;
  stack[3] = (uintptr_t)qsort;
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
TEST(test_end_of_own_stack)
{
  enum { PAGE = 1 << 16 };
  const uintptr_t below =
      ((uintptr_t)pthread_self() - (1 << 30)) / PAGE * PAGE;
  char *const stack = mmap((void *)below, 3 * PAGE, PROT_READ | PROT_WRITE,
                           MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  uintptr_t *const end = (uintptr_t *)(stack + PAGE);
  struct stack_frame from = {.ip = (uintptr_t)&sink,
                             .sp = (uintptr_t)(end - 4)};
  struct stack_frame to;
  assert_ptr_not_equal(stack, MAP_FAILED);
  assert_true((uintptr_t)stack < (uintptr_t)pthread_self());
  end[1] = (uintptr_t)qsort;
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

/* The rules of code that is gone are in the table no more. */
TEST(test_forgotten)
{
  const uintptr_t start = (uintptr_t)qsort, kept = (uintptr_t)bsearch;
  frame_rule_find(start + 1, false);
  frame_rule_find(kept + 1, false);
  assert_int_not_equal(
      shared_table_value(&frame_rules, (uint64_t)(start + 1) << 1), 0);
  frame_rules_forget(start, start + 10);
  assert_int_equal(
      shared_table_value(&frame_rules, (uint64_t)(start + 1) << 1), 0);
  assert_int_not_equal(
      shared_table_value(&frame_rules, (uint64_t)(kept + 1) << 1), 0);
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
TEST(test_orders)
{
  enum { BYTES = 20000 };
  static uint64_t rules[BYTES];
  const uintptr_t start = (uintptr_t)qsort;
  size_t several = 0;
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

RUN_TESTS(NULL, NULL)
