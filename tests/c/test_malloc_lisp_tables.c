/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * test_malloc_lisp_tables.c -- what is read without a lock while another
 * thread counts the objects of an ECL without hooks.  Whatever moves in
 * memory is read before its owner knows where it is now, as by another thread
 * in that moment.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cmocka.h>

#include "c/count/malloc_monitor.h"
#include "c/ecl/lisp_heap.h"
#include "c/ecl/lisp_names.h"

static void (*other_thread)(void);

/* In front of the C library's: nothing stays where it was. */
void *
mremap(void *old, size_t old_bytes, size_t bytes, int flags, ...)
{
  void *const place =
      mmap(NULL, bytes, PROT_NONE,
           MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  const long moved = syscall(SYS_mremap, old, old_bytes, bytes,
                             flags | MREMAP_MAYMOVE | MREMAP_FIXED, place);
  if (other_thread != NULL)
    other_thread();
  return (void *)moved;
}

/* ---- counts ---- */

static uint64_t counted;

/* As a reader of the image sums up. */
static void
sum_up(void)
{
  uint64_t sum = 0;
  for (const struct lisp_thread *l = lisp_threads; l != NULL; l = l->next)
    for (uint32_t i = 0; i < l->room; i++)
      sum += l->tallies[i].count;
  assert_int_equal(sum, counted);
}

static void __attribute__((noinline)) allocate(uint32_t what, size_t bytes)
{
  lisp_heap_count_slow(
      NULL, bytes, (struct lisp_request){.frame = ARCH_FRAME, .what = what});
}

/* Each class and size has a leaf of its own. */
static void
test_tallies(void **state)
{
  (void)state;
  lisp_heap_open();
  other_thread = sum_up;
  for (size_t bytes = 16; bytes <= 160; bytes += 16)
    for (uint32_t number = 1; number <= LISP_CLASSES; number++) {
      allocate(LISP_WHAT(t_instance, number), bytes);
      counted++;
    }
  other_thread = NULL;
  sum_up();
}

/* ---- names ---- */

static const uintptr_t first_code = 4096;
static const char first_name[] = "FIRST";

static const char *
name_of(uintptr_t code)
{
  return lisp_names_text(
      lisp_function_at(function_number_of_start(&malloc_monitor.functions,
                                                code))
          ->name);
}

static void
give_name(uintptr_t code, const char *text)
{
  const uint32_t number =
      function_number_of_start(&malloc_monitor.functions, code);
  assert_true(lisp_function_name(number, lisp_names_intern(text)));
  assert_string_equal(name_of(code), text);
}

static void
read_name(void)
{
  assert_string_equal(name_of(first_code), first_name);
}

static void
test_names(void **state)
{
  enum { NAMES = 20000 };
  char text[100];
  const char *first;
  (void)state;
  give_name(first_code, first_name);
  first = name_of(first_code);
  other_thread = read_name;
  for (uintptr_t i = 1; i <= NAMES; i++) {
    snprintf(text, sizeof text, "(LAMBDA :IN A-FUNCTION-CALLED-%ju)",
             (uintmax_t)i);
    give_name(first_code + i, text);
  }
  other_thread = NULL;
  assert_ptr_equal(name_of(first_code), first);
}

int
main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_tallies),
                                     cmocka_unit_test(test_names)};
  malloc_monitor.awaits_image = false; /* no file of it */
  _exit(cmocka_run_group_tests(tests, NULL, NULL)); /* there is no ECL to end */
}
