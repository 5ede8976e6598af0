/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Numbers of compiled functions whose code is unloaded and loaded again.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "lisp/names/code_functions.h"

/* Nobody's code: two files are loaded there in turn. */
static char code[2][4096];
static uint32_t last_number;

static uint32_t
name_function(unsigned place, unsigned at, const char *name,
              const char *file)
{
  const uintptr_t start = (uintptr_t)&code[place][at];
  uint32_t number;
  code_function_name(start, name, file, (int)at, NULL);
  number = code_function_of_start(start);
  if (number > last_number)
    last_number = number;
  return number;
}

/* Names stay as long as the process; a checker of leaks does not look where
 * they are kept. */
static int
free_names(void **state)
{
  (void)state;
  for (uint32_t i = 1; i <= last_number; i++) {
    free((char *)(uintptr_t)code_function_at(i)->name);
    free((char *)(uintptr_t)code_function_at(i)->file);
  }
  return 0;
}

static void
unload(unsigned place)
{
  const struct code_object gone = {
    .start = (uintptr_t)code[place],
    .end = (uintptr_t)code[place] + sizeof code[place],
    .base = (uintptr_t)code[place],
    .path = "/nowhere/code.fas"};
  code_functions_retire(&gone);
}

static void
test_loaded_again(void **state)
{
  const uint32_t foo = name_function(0, 16, "FOO", "a.lisp");
  const uint32_t bar = name_function(0, 32, "BAR", "a.lisp");
  (void)state;
  code_function_at(foo)->has_record = true;
  code_function_at(foo)->word_at = 8;
  for (unsigned round = 1; round <= 1000; round++) {
    const unsigned place = round % 2, at = 16 * (round % 100) + 64;
    const struct code_function *const f = code_function_at(foo);
    unload(1 - place);
    assert_int_equal(f->code, 0);
    assert_string_equal(f->name, "FOO");
    assert_int_equal(name_function(place, at + 16, "BAR", "a.lisp"), bar);
    assert_int_equal(name_function(place, at, "FOO", "a.lisp"), foo);
    assert_int_equal(f->code, (uintptr_t)&code[place][at]);
    assert_int_equal(f->file_position, at);
    assert_false(f->has_record || f->word_at != 0);
  }
  unload(0);
}

/* The new code is there before the old goes away, as when a file is loaded
 * again: two numbers take turns. */
static void
test_loaded_meanwhile(void **state)
{
  const uint32_t one = name_function(0, 16, "BAZ", "a.lisp");
  const uint32_t other = name_function(1, 16, "BAZ", "a.lisp");
  (void)state;
  assert_int_not_equal(one, other);
  for (unsigned round = 0; round < 100; round++) {
    unload(round % 2);
    assert_int_equal(name_function(round % 2, 48, "BAZ", "a.lisp"),
                     round % 2 == 0 ? one : other);
  }
  unload(0);
  unload(1);
}

static void
test_others_of_that_name(void **state)
{
  const uint32_t a = name_function(0, 16, "(LAMBDA :IN FOO)", "a.lisp");
  const uint32_t b = name_function(0, 32, "(LAMBDA :IN FOO)", "a.lisp");
  uint32_t c, d, e;
  (void)state;
  unload(0);
  assert_int_equal(code_function_of_start((uintptr_t)&code[0][16]), b + 1);
  c = name_function(0, 48, "(LAMBDA :IN FOO)", "a.lisp");
  d = name_function(0, 64, "(LAMBDA :IN FOO)", "a.lisp");
  e = name_function(0, 80, "(LAMBDA :IN FOO)", "a.lisp");
  assert_true((c == a && d == b) || (c == b && d == a));
  assert_int_equal(e, b + 2);
  assert_int_equal(name_function(0, 96, "FOO", "b.lisp"), b + 3);
}

int
main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_loaded_again),
    cmocka_unit_test(test_loaded_meanwhile),
    cmocka_unit_test(test_others_of_that_name),
  };
  return code_functions_open() != 0
             ? 1
             : cmocka_run_group_tests(tests, NULL, free_names);
}
