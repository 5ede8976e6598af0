/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * test_malloc_shared_table.c -- tables that threads share, and what is made
 * of one: the numbers of functions, before and after their code is unloaded.
 */
#include <dlfcn.h>

#include "testing.h"

#include "code/code_objects.h"
#include "code/function_numbers.h"
#include "tables/shared_table.h"

enum { KEYS = 5000 };

static uint64_t
key_of(uint64_t i)
{
  return i * 16 + 8;
}

/* Code that is loaded somewhere else each time. */
TEST(takes_no_more_for_other_places)
{
  enum { ROUNDS = 20000, EACH = 10 };
  struct shared_table table = SHARED_TABLE_EMPTY;
  const char *entries = NULL;
  for (uint64_t i = 1; i <= 20; i++)
    assert_true(shared_table_add(&table, key_of(i), i));
  for (uint64_t round = 1; round <= ROUNDS; round++) {
    const uint64_t first = 1000 + round * 7919;
    for (uint64_t i = 0; i < EACH; i++)
      assert_true(shared_table_add(&table, key_of(first + i), round));
    if (round == 1)
      entries = table.entries;
    for (uint64_t i = 0; i < EACH; i++)
      assert_int_equal(shared_table_value(&table, key_of(first + i)), round);
    shared_table_forget(&table, key_of(first) >> 1,
                        key_of(first + EACH - 1) >> 1);
    for (uint64_t i = 1; i <= 20; i++)
      assert_int_equal(shared_table_value(&table, key_of(i)), i);
  }
  assert_ptr_equal(table.entries, entries);
  shared_table_forget(&table, key_of(1) >> 1, key_of(20) >> 1);
  assert_int_equal(table.count, 0);
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

TEST(is_read_while_it_grows)
{
  struct shared_table table = SHARED_TABLE_EMPTY;
  pthread_t thread;
  void *wrong;
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
static bool has_memory = true;

static bool
note_new_number(uint32_t number, uintptr_t code)
{
  if (!has_memory)
    return false;
  assert_int_equal(number, ++given_count);
  assert_true(code == (uintptr_t)find_keys || code == 99);
  return true;
}

TEST(numbers_are_given_once)
{
  struct function_numbers n = {.table = SHARED_TABLE_EMPTY,
                               .most = 3,
                               .on_new_number = note_new_number};
  const uintptr_t start = (uintptr_t)find_keys;
  assert_int_equal(function_number_of_site(&n, start + 3), 1);
  assert_int_equal(function_number_of_site(&n, start + 4), 1);
  assert_int_equal(function_number_of_start(&n, start), 1);
  assert_int_equal(function_number_of_site(&n, 100), 2); /* no function */
  assert_int_equal(function_number_of_site(&n, 100), 2);

  function_numbers_forget(&n, start, start + 10);
  has_memory = false;
  assert_int_equal(function_number_of_site(&n, start + 3), 0);
  has_memory = true;
  assert_int_equal(function_number_of_site(&n, start + 3), 3);
  assert_int_equal(function_number_of_site(&n, 100), 2);
  assert_int_equal(function_number_of_site(&n, 200), 0); /* no room */
  assert_int_equal(function_number_of_start(&n, 0), 0);
  assert_int_equal(given_count, 3);
}

/* A library at that place; of all that is unloaded the first number is 1. */
static struct code_object
unload(uintptr_t start, const char *path)
{
  static struct function_numbers numbers = {.table = SHARED_TABLE_EMPTY,
                                            .most = 10};
  const struct code_object gone = {
      .start = start, .end = start + 10, .path = path};
  return code_notes_retire(&gone, &numbers);
}

TEST(retires_sites)
{
  struct code_object one = unload(100, "one"), two = unload(100, "two");
  const uint64_t retired = code_object_retired_site(&two, 103);
  assert_int_equal(RETIRED_OBJECT(retired), 2);
  assert_int_equal(RETIRED_OFFSET(retired), 3);
  assert_int_equal(code_object_retired_site(&two, 111), 111);
  assert_true(code_object_retired_site(&one, 103) != retired);
}

/* However often they are loaded and unloaded. */
TEST(retires_libraries_once)
{
  for (int i = 0; i < CODE_OBJECTS; i++) {
    assert_int_equal(unload(100, "one").number, 1);
    assert_int_equal(unload(200, "one").number, 3);
  }
  assert_int_equal(code_objects.unloaded.count, 3);
}

/* ---- files ---- */

static struct code_object last_gone;
static int gone_count;

static void
note_gone(const struct code_object *gone)
{
  last_gone = *gone;
  gone_count++;
}

/* As a program does that has no memory for the list, and one that has. */
TEST(unloads_files_with_and_without_list)
{
  const uintptr_t address = (uintptr_t)_cmocka_run_group_tests;
  struct dl_find_object found;
  assert_int_equal(_dl_find_object((void *)address, &found), 0);
  code_objects_unload(found.dlfo_link_map->l_addr, note_gone);
  assert_int_equal(gone_count, 1);
  assert_ptr_equal(last_gone.start, found.dlfo_map_start);
  assert_ptr_equal(last_gone.end, found.dlfo_map_end);
  assert_string_equal(last_gone.path, "");

  assert_true(code_objects_check(note_gone));
  code_objects_unload(found.dlfo_link_map->l_addr, note_gone);
  assert_int_equal(gone_count, 2);
  assert_in_range(address, last_gone.start, last_gone.end);
  assert_string_equal(last_gone.path, found.dlfo_link_map->l_name);

  assert_true(code_objects_check(note_gone)); /* it is still loaded */
  assert_int_equal(gone_count, 2);
}

/* No site is left where other code may be next. */
TEST(retires_more_than_there_is_room_for)
{
  struct code_list *const unloaded = &code_objects.unloaded;
  struct code_object last;
  assert_int_equal(
      arena_grow(&unloaded->arena, CODE_OBJECTS * sizeof *unloaded->objects),
      0);
  unloaded->objects = unloaded->arena.base;
  unloaded->count = CODE_OBJECTS;
  last = unload(300, "last");
  assert_int_equal(last.number, 0);
  assert_int_equal(code_object_retired_site(&last, 303), SITE_RETIRED);
  assert_int_equal(code_object_retired_site(&last, 305), SITE_RETIRED);
  assert_int_equal(code_object_retired_site(&last, 311), 311);
}

RUN_TESTS(NULL, NULL)
