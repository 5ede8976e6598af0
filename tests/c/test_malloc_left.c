/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * test_malloc_left.c -- a handler of a signal jumps out of the monitor while
 * that has a lock of what it knows of code, or makes a record of the tree: the
 * thread recovers at its next call, nobody waits for the lock, and no record
 * is two.
 */

#include "testing.h"

#include "arch/arch.h"
#include "c/count/monitor.h"
#include "c/count/thread.h"
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
    this_thread.inside++;
    this_thread.pool = 1;
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
  this_thread.inside++;
  expect(thread_recover(ARCH_FRAME), "it recovers");
  expect(this_thread.inside == 1, "it is in the monitor once");
  expect(!spin_holds(&table->lock), "the lock is open");
  expect(this_thread.pool == 0, "no object of a pool is being counted");
  this_thread.inside--;
}

static void
add_rule(void)
{
  frame_rule_find((uintptr_t)qsort + 1, false);
}

static struct function_numbers *const functions = &monitor.functions;

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
  frame_rule_find((uintptr_t)abort + 1, false); /* there is a table, */
  frame_rule_find((uintptr_t)labs + 1, false);  /* with room for one more */
  leave_table(&frame_rules, add_rule);
  recover(&frame_rules);
  rule = frame_rule_find((uintptr_t)qsort + 1, false);
  expect(shared_table_value(&frame_rules, ((uint64_t)(uintptr_t)qsort + 1)
                                              << 1) != 0,
         "the rule is in the table");
  expect(rule.base == frame_rule_at((uintptr_t)qsort).base, "the rule");

  function_number_of_site(functions, (uintptr_t)labs + 1);
  number = function_number_of_site(functions, (uintptr_t)abort + 1);
  leave_table(&functions->table, add_number);
  recover(&functions->table);
  expect(number != 0 && function_number_of_site(
                            functions, (uintptr_t)bsearch + 1) > number,
         "a function has a number of its own");
  return data;
}

TEST(test_left)
{
  pthread_t thread;
  signal(SIGSEGV, leave);
  pthread_create(&thread, NULL, in_thread, NULL);
  pthread_join(thread, NULL);
  signal(SIGSEGV, SIG_DFL);
  assert_string_equal(fault == NULL ? "none" : fault, "none");
}

/* ---- a record of the tree ---- */

static uint32_t
no_function(uint64_t site, uint32_t caller)
{
  (void)site;
  (void)caller;
  return 0;
}

/* Returns the number of the second leaf below the root, or of its second
 * child; *COUNT becomes how many there are. */
static uint32_t
find_record(struct context_tree *tree, bool leaf, uint32_t *count)
{
  const uint32_t kind =
      context_tree_kind_number(tree, &(struct kind){.size = 8});
  const uint32_t number =
      leaf ? (uint32_t)(context_tree_find_leaf(tree, CONTEXT_ROOT, 20, kind) -
                        tree->leaves)
           : context_tree_child(tree, CONTEXT_ROOT, 20);
  *count = leaf ? tree->leaf_count : tree->context_count;
  return number;
}

/* What counts a new record is left just before: nobody finds it. */
TEST(test_record)
{
  static _Alignas(ARCH_PAGE) char pages[2 * ARCH_PAGE];
  struct context_tree *const tree =
      (void *)(pages + ARCH_PAGE - offsetof(struct context_tree, arenas));
  uint32_t count;
  assert_int_equal(
      context_tree_init(tree, 100, false, no_function, NULL), 0);
  context_tree_child(tree, CONTEXT_ROOT, 10);
  context_tree_find_leaf(
      tree, CONTEXT_ROOT, 10,
      context_tree_kind_number(tree, &(struct kind){.size = 8}));
  signal(SIGSEGV, leave);
  for (int leaf = 0; leaf < 2; leaf++) {
    mprotect(pages, ARCH_PAGE, PROT_READ);
    if (sigsetjmp(back, 1) == 0) {
      find_record(tree, leaf != 0, &count);
      fail();
    }
    mprotect(pages, ARCH_PAGE, PROT_READ | PROT_WRITE);
    const uint32_t number = find_record(tree, leaf != 0, &count);
    assert_true(number < count);
    assert_int_equal(number, 3);
  }
  signal(SIGSEGV, SIG_DFL);
}

RUN_TESTS(NULL, NULL)
