/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * test_monitor_kept_objects.c -- the table of objects that are kept, when
 * it is full: what it has stays, what is beyond it is counted.
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

static cl_object
object(uintptr_t i)
{
  return ecl_make_fixnum((cl_fixnum)i);
}

/* All numbers are different, and the names of the first ones are noted. */
static void
fill_table(void)
{
  struct note_list notes = {0};
  kept_objects_add(object(1));
  for (uint32_t i = 1; i <= KEPT_OBJECTS; i++) {
    assert_int_equal(kept_objects_function(object(i)),
                     FUNCTION_OBJECT_BASE + i);
    if (i != 3)
      continue;
    image_copy_notes(&notes);
    assert_int_equal(notes.used,
                     sizeof notes.used +
                         3 * (2 * sizeof(struct image_note) + sizeof "1234567"));
    arena_release(&notes.arena);
  }
}

static void
test_full_table(void **state)
{
  (void)state;
  assert_int_equal(kept_objects_open(), 0);
  fill_table();
  assert_int_equal(kept_objects_lost_calls(), 0);

  assert_int_equal(kept_objects_function(object(KEPT_OBJECTS + 1)), 0);
  assert_int_equal(kept_objects_function(object(KEPT_OBJECTS + 1)), 0);
  assert_int_equal(kept_objects_function(object(KEPT_OBJECTS + 2)), 0);
  assert_int_equal(kept_objects_lost_calls(), 3);
  kept_objects_add(object(KEPT_OBJECTS + 1)); /* a class, say: no call */
  assert_int_equal(kept_objects_lost_calls(), 3);

  for (uint32_t i = 1; i <= KEPT_OBJECTS; i++)
    assert_int_equal(kept_objects_function(object(i)),
                     FUNCTION_OBJECT_BASE + i);
  assert_int_equal(kept_objects_lost_calls(), 3);
  kept_objects_forget_lost_calls();
  assert_int_equal(kept_objects_lost_calls(), 0);
  assert_int_equal(kept_objects_function(object(KEPT_OBJECTS + 2)), 0);
  assert_int_equal(kept_objects_lost_calls(), 1);
}

static void
test_no_such_number(void **state)
{
  const uint32_t none[] = {0, FUNCTION_OBJECT_BASE,
                           FUNCTION_OBJECT_BASE + KEPT_OBJECTS + 1,
                           UINT32_MAX};
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
