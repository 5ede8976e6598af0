/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * test_malloc_arena.c -- arrays that grow where they are.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>

#include <cmocka.h>

#include "image/arena.h"

enum { PAGE = 4096, ARENAS = 8, PAGES = 64 };

static void
assert_filled(const struct arena *arena, int byte, size_t from, size_t to)
{
  const unsigned char *at = arena->base;
  for (size_t i = from; i < to; i++)
    assert_int_equal(at[i], byte);
}

static void
test_place(void **state)
{
  struct arena arenas[ARENAS];
  void *bases[ARENAS];
  (void)state;
  for (int i = 0; i < ARENAS; i++) {
    assert_int_equal(arena_place(&arenas[i], 1, PAGES * PAGE), 0);
    assert_int_equal(arenas[i].reserved_bytes, PAGE);
    bases[i] = arenas[i].base;
    memset(bases[i], i + 1, PAGE);
  }
  for (size_t n = 2; n <= PAGES; n++)
    for (int i = 0; i < ARENAS; i++) {
      assert_int_equal(arena_reach(&arenas[i], n * PAGE - 1), 0);
      assert_ptr_equal(arenas[i].base, bases[i]);
      assert_int_equal(arenas[i].reserved_bytes, n * PAGE);
      assert_filled(&arenas[i], i + 1, 0, (n - 1) * PAGE);
      assert_filled(&arenas[i], 0, (n - 1) * PAGE, n * PAGE);
      memset(bases[i], i + 1, n * PAGE);
    }
  for (int i = 0; i < ARENAS; i++) {
    arena_clear(&arenas[i]);
    assert_filled(&arenas[i], 0, 0, PAGES * PAGE);
    arena_release(&arenas[i]);
    assert_null(arenas[i].base);
  }
}

/* Where no place is free, the address space is held from the beginning. */
static void
test_no_place(void **state)
{
  enum { TRIES = 64 };
  const size_t place = (size_t)1 << 30;
  struct arena arena;
  char *others[TRIES], *first;
  (void)state;
  assert_int_equal(arena_place(&arena, PAGE, PAGES * PAGE), 0);
  first = arena.base;
  for (size_t i = 0; i < TRIES; i++) {
    others[i] = mmap(first + (i + 1) * place, PAGE, PROT_READ,
                     MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    assert_ptr_equal(others[i], first + (i + 1) * place);
  }
  arena_release(&arena);
  assert_int_equal(arena_place(&arena, PAGE, PAGES * PAGE), 0);
  assert_int_equal(arena.reserved_bytes, PAGE);
  assert_int_equal(arena.held_bytes, PAGES * PAGE);
  for (size_t n = 2; n <= PAGES; n++) {
    assert_int_equal(arena_reach(&arena, n * PAGE), 0);
    assert_int_equal(arena.reserved_bytes, n * PAGE);
    memset(arena.base, 7, n * PAGE);
  }
  arena_clear(&arena);
  assert_filled(&arena, 0, 0, PAGES * PAGE);
  arena_release(&arena);
  for (size_t i = 0; i < TRIES; i++)
    munmap(others[i], PAGE);
}

static void
test_in_the_way(void **state)
{
  struct arena arena;
  char *other;
  (void)state;
  assert_int_equal(arena_place(&arena, PAGE, PAGES * PAGE), 0);
  memset(arena.base, 7, PAGE);
  other = (char *)arena.base + 2 * PAGE;
  assert_ptr_equal(mmap(other, PAGE, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS,
                        -1, 0),
                   other);
  assert_int_equal(arena_reach(&arena, 3 * PAGE), -1);
  assert_int_equal(arena.reserved_bytes, PAGE);
  assert_filled(&arena, 7, 0, PAGE);
  assert_int_equal(arena_reach(&arena, 2 * PAGE), 0);
  assert_int_equal(munmap(other, PAGE), 0);
  assert_int_equal(arena_reach(&arena, 3 * PAGE), 0);
  assert_filled(&arena, 7, 0, PAGE);
  arena_release(&arena);
}

int
main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_place),
    cmocka_unit_test(test_no_place),
    cmocka_unit_test(test_in_the_way),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
