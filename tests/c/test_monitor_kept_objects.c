/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * test_monitor_kept_objects.c -- the table of objects that are kept, with
 * room for three: what it has stays, what is beyond it is counted.
 *
 * The objects are fixnums, which are in no memory, and the collector does not
 * run.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "image/image.h"
#include "image/note_list.h"
#include "lisp/names/code_functions.h"
#include "lisp/names/kept_objects.h"

enum { ROOM = 3 };

static cl_object
object(uintptr_t i)
{
  return ecl_make_fixnum((cl_fixnum)i);
}

static void
test_full_table(void **state)
{
  struct note_list notes = {0};
  uint32_t numbers[ROOM];
  (void)state;
  assert_int_equal(image_keep_notes(), 0);
  assert_int_equal(kept_objects_reserve(ROOM), 0);
  assert_int_equal(kept_objects_reserve(KEPT_OBJECTS), 0); /* too late */

  kept_objects_add(object(1));
  for (uint32_t i = 0; i < ROOM; i++) {
    numbers[i] = kept_objects_function(object(i + 1));
    assert_true(numbers[i] >= FUNCTION_OBJECT_BASE);
    for (uint32_t j = 0; j < i; j++)
      assert_int_not_equal(numbers[i], numbers[j]);
  }
  assert_int_equal(kept_objects_lost_calls(), 0);

  assert_int_equal(kept_objects_function(object(ROOM + 1)), 0);
  assert_int_equal(kept_objects_function(object(ROOM + 1)), 0);
  assert_int_equal(kept_objects_function(object(ROOM + 2)), 0);
  assert_int_equal(kept_objects_lost_calls(), 3);
  kept_objects_add(object(ROOM + 1)); /* a class, say: no call */
  image_copy_notes(&notes); /* those that are kept, and their names */
  assert_false(notes.failed);
  assert_int_equal(notes.used, sizeof notes.used +
                                   ROOM * (note_bytes(NULL) + note_bytes("1")));
  arena_release(&notes.arena);
  assert_int_equal(kept_objects_lost_calls(), 3);

  for (uint32_t i = 0; i < ROOM; i++)
    assert_int_equal(kept_objects_function(object(i + 1)), numbers[i]);
  assert_int_equal(kept_objects_lost_calls(), 3);
  kept_objects_forget_lost_calls();
  assert_int_equal(kept_objects_lost_calls(), 0);
  assert_int_equal(kept_objects_function(object(ROOM + 2)), 0);
  assert_int_equal(kept_objects_lost_calls(), 1);
}

static void
test_no_such_number(void **state)
{
  const uint32_t none[] = {0, FUNCTION_OBJECT_BASE,
                           FUNCTION_OBJECT_BASE + ROOM + 1, UINT32_MAX};
  (void)state;
  for (size_t i = 0; i < sizeof none / sizeof *none; i++)
    assert_int_equal(kept_objects_in_tree(none[i]), 0);
}

int
main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_full_table),
      cmocka_unit_test(test_no_such_number),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
