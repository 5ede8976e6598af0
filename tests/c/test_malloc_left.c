/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * test_malloc_left.c -- a handler of a signal jumps out of the monitor while
 * that has a lock of what it knows of code: the thread recovers at its next
 * call, and nobody waits for the lock.
 */
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include <cmocka.h>

#include "arch/arch.h"
#include "c/count/malloc_monitor.h"
#include "c/count/nonlocal_exit.h"
#include "code/frame_rule.h"

static sigjmp_buf back;
static const char *fault; /* the first one */

static void
expect(bool condition, const char *what)
{
  if (!condition && fault == NULL)
    fault = what;
}

static void
leave(int number)
{
  (void)number;
  siglongjmp(back, 1);
}

/* The pages of the table, which only who adds to it writes. */
static void
protect_table(const struct shared_table *table, int how)
{
  const uintptr_t entries = (uintptr_t)table->entries;
  const unsigned shift = entries & SHARED_TABLE_SHIFT;
  mprotect((void *)(entries - shift),
           sizeof(struct shared_entry) << (64 - shift), how);
}

/* Calls what adds to the table, and leaves it there with the lock. */
static void
leave_table(struct shared_table *table, void (*add)(void))
{
  protect_table(table, PROT_READ);
  if (sigsetjmp(back, 1) == 0) {
    malloc_monitor_inside++;
    add();
    expect(false, "it was not left");
  }
  protect_table(table, PROT_READ | PROT_WRITE);
  expect(spin_holds(&table->lock), "the lock was left");
}

/* As a call of malloc does. */
static void __attribute__((noinline))
recover(const struct shared_table *table)
{
  malloc_monitor_inside++;
  expect(nonlocal_exit_recover(ARCH_FRAME), "it recovers");
  expect(malloc_monitor_inside == 1, "it is in the monitor once");
  expect(!spin_holds(&table->lock), "the lock is open");
  malloc_monitor_inside--;
}

static void
add_rule(void)
{
  frame_rule_find((uintptr_t)qsort + 1, false);
}

static struct function_numbers *const functions = &malloc_monitor.functions;

static void
add_number(void)
{
  function_number_of_site(functions, (uintptr_t)bsearch + 1);
}

static void *
in_thread(void *data)
{
  uint32_t number;
  struct frame_rule rule;
  frame_rule_find((uintptr_t)abort + 1, false); /* there is a table */
  leave_table(&frame_rules, add_rule);
  recover(&frame_rules);
  rule = frame_rule_find((uintptr_t)qsort + 1, false);
  expect(shared_table_value(&frame_rules, ((uint64_t)(uintptr_t)qsort + 1)
                                              << 1) != 0,
         "the rule is in the table");
  expect(rule.base == frame_rule_at((uintptr_t)qsort).base, "the rule");

  number = function_number_of_site(functions, (uintptr_t)abort + 1);
  leave_table(&functions->table, add_number);
  recover(&functions->table);
  expect(number != 0 && function_number_of_site(
                            functions, (uintptr_t)bsearch + 1) > number,
         "a function has a number of its own");
  return data;
}

static void
test_left(void **state)
{
  pthread_t thread;
  (void)state;
  signal(SIGSEGV, leave);
  pthread_create(&thread, NULL, in_thread, NULL);
  pthread_join(thread, NULL);
  signal(SIGSEGV, SIG_DFL);
  assert_string_equal(fault == NULL ? "none" : fault, "none");
}

int
main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_left),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
