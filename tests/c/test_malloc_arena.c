/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * test_malloc_arena.c -- arrays that grow where they are, and the spare.
 */
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>

#include <cmocka.h>

#include "tree/arena.h"

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

static uintptr_t spare;

static size_t
offset(const struct arena *arena)
{
  return (uintptr_t)arena->base - spare;
}

static void *
take_elsewhere(void *unused)
{
  struct arena arena;
  assert_false(arena_spare_begin());
  assert_int_equal(arena_reserve(&arena, PAGE), 0);
  assert_true(offset(&arena) >= PAGES * PAGE);
  arena_release(&arena);
  return unused;
}

/* In each round what is taken is zero, though it was not in the last one. */
static void
test_spare(void **state)
{
  struct arena first, grown, large;
  pthread_t thread;
  (void)state;
  assert_true(arena_spare_reach(PAGE, PAGES * PAGE));
  assert_true(arena_spare_reach(PAGES * PAGE, PAGES * PAGE));
  for (int round = 0; round < 3; round++) {
    assert_true(arena_spare_begin());
    assert_false(arena_spare_begin());
    assert_int_equal(arena_reserve(&first, 100), 0);
    if (round == 0)
      spare = (uintptr_t)first.base;
    assert_int_equal(offset(&first), 0);
    assert_int_equal(arena_reserve(&grown, PAGE), 0);
    assert_int_equal(offset(&grown), PAGE);
    assert_filled(&grown, 0, 0, PAGE);
    memset(grown.base, 5, PAGE);
    assert_int_equal(arena_grow(&grown, PAGE + 1), 0);
    assert_int_equal(offset(&grown), 2 * PAGE);
    assert_filled(&grown, 5, 0, PAGE);
    assert_filled(&grown, 0, PAGE, 2 * PAGE);
    assert_int_equal(arena_reserve(&large, PAGES * PAGE), 0);
    assert_true(offset(&large) >= PAGES * PAGE);
    assert_int_equal(pthread_create(&thread, NULL, take_elsewhere, NULL), 0);
    pthread_join(thread, NULL);
    arena_release(&large);
    arena_release(&grown);
    arena_release(&first);
    if (round == 1)
      arena_spare_forked();
    else
      arena_spare_end();
  }
  assert_int_equal(arena_reserve(&first, 100), 0);
  assert_true(offset(&first) >= PAGES * PAGE);
  arena_release(&first);
}

int
main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_place),
    cmocka_unit_test(test_in_the_way),
    cmocka_unit_test(test_spare),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
