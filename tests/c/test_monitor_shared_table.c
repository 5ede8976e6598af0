/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * test_monitor_shared_table.c -- tables that threads share, and what is made
 * of one: the numbers of functions, before and after their code is unloaded.
 */
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "code/code_objects.h"
#include "code/function_numbers.h"
#include "tree/shared_table.h"

enum { KEYS = 5000 };

static uint64_t
key_of(uint64_t i)
{
  return i * 16 + 8;
}

static void
add_keys(struct shared_table *table)
{
  for (uint64_t i = 1; i <= KEYS; i++)
    assert_true(shared_table_add(table, key_of(i), i));
}

static void
finds_what_was_added(void **state)
{
  struct shared_table table = SHARED_TABLE_EMPTY;
  (void)state;
  assert_null(shared_table_find(&table, 1));
  add_keys(&table);
  for (uint64_t i = 1; i <= KEYS; i++) {
    assert_int_equal(shared_table_value(&table, key_of(i)), i);
    assert_null(shared_table_find(&table, key_of(i) + 1));
  }
}

/* Every third key becomes another one, as often as that makes the table
 * grow. */
static bool
move_third(void *closure, const struct shared_entry *entry)
{
  if (entry->key % 16 != 8 || entry->value % 3 != 0)
    return false;
  assert_true(shared_table_add(closure, entry->key + 1, entry->value));
  return true;
}

static void
forgets_and_adds(void **state)
{
  struct shared_table table = SHARED_TABLE_EMPTY;
  (void)state;
  add_keys(&table);
  shared_table_forget(&table, move_third, &table);
  for (uint64_t i = 1; i <= KEYS; i++) {
    assert_int_equal(shared_table_value(&table, key_of(i)),
                     i % 3 == 0 ? 0 : i);
    assert_int_equal(shared_table_value(&table, key_of(i) + 1),
                     i % 3 == 0 ? i : 0);
  }
}

static bool
is_any(void *closure, const struct shared_entry *entry)
{
  (void)closure;
  (void)entry;
  return true;
}

static void
uses_places_again(void **state)
{
  struct shared_table table = SHARED_TABLE_EMPTY;
  const char *entries = NULL;
  (void)state;
  for (int i = 0; i < 50; i++) {
    add_keys(&table);
    if (i == 1)
      entries = table.entries;
    shared_table_forget(&table, is_any, NULL);
  }
  assert_ptr_equal(table.entries, entries);
}

/* One thread adds, the other finds each key as soon as it is told of it. */
static uint64_t told;

static void *
find_keys(void *closure)
{
  uintptr_t wrong = 0;
  for (uint64_t i = 1; i <= KEYS; i++) {
    while (__atomic_load_n(&told, __ATOMIC_RELAXED) < i)
      sched_yield();
    wrong += shared_table_value(closure, key_of(i)) != i;
  }
  return (void *)wrong;
}

static void
is_read_while_it_grows(void **state)
{
  struct shared_table table = SHARED_TABLE_EMPTY;
  pthread_t thread;
  void *wrong;
  (void)state;
  assert_int_equal(pthread_create(&thread, NULL, find_keys, &table), 0);
  for (uint64_t i = 1; i <= KEYS; i++) {
    shared_table_add(&table, key_of(i), i);
    __atomic_store_n(&told, i, __ATOMIC_RELAXED);
  }
  pthread_join(thread, &wrong);
  assert_null(wrong);
}

/* ---- numbers of functions ---- */

static uint32_t given_count;

static void
given(uint32_t number, uintptr_t code)
{
  assert_int_equal(number, ++given_count);
  assert_true(code == (uintptr_t)find_keys || code == 99);
}

static void
numbers_outlive_code(void **state)
{
  struct function_numbers n = {
      .table = SHARED_TABLE_EMPTY, .most = 3, .given = given};
  const uintptr_t start = (uintptr_t)find_keys;
  struct code_object object = {
      .start = start, .end = start + 10, .number = 7};
  const uint64_t retired = code_object_retired_site(&object, start + 3);
  (void)state;
  assert_int_equal(RETIRED_OBJECT(retired), 6);
  assert_int_equal(RETIRED_OFFSET(retired), 3);
  assert_int_equal(code_object_retired_site(&object, start + 11), start + 11);

  assert_int_equal(function_number_of_site(&n, start + 3), 1);
  assert_int_equal(function_number_of_site(&n, start + 4), 1);
  assert_int_equal(function_number_of_start(&n, start), 1);
  assert_int_equal(function_number_of_site(&n, 100), 2); /* no function */
  assert_int_equal(function_number_of_site(&n, 100), 2);

  function_numbers_retire(&n, &object);
  assert_int_equal(function_number_of_site(&n, retired), 1);
  assert_int_equal(function_number_of_site(&n, start + 3), 3);
  assert_int_equal(function_number_of_site(&n, retired + 1), 1);
  assert_int_equal(function_number_of_site(&n, 100), 2);
  assert_int_equal(function_number_of_site(&n, 200), 0); /* no room */
  assert_int_equal(function_number_of_start(&n, 0), 0);
  assert_int_equal(given_count, 3);
}

int
main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(finds_what_was_added),
      cmocka_unit_test(forgets_and_adds),
      cmocka_unit_test(uses_places_again),
      cmocka_unit_test(is_read_while_it_grows),
      cmocka_unit_test(numbers_outlive_code),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
