/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * test_malloc_early_memory.c -- memory for requests that come before the real
 * allocator is found.
 */
#include <errno.h>

#include "testing.h"

#include "c/interpose/real_allocator.h"

TEST(test_blocks)
{
  enum { N = 40 };
  static unsigned char *blocks[N];
  static size_t sizes[N];
  for (int i = 0; i < N; i++) {
    const size_t alignment = (size_t)1 << i % 10;
    sizes[i] = (size_t)i * 37 % 1001;
    blocks[i] = early_allocate(alignment, sizes[i]);
    assert_non_null(blocks[i]);
    assert_int_equal((uintptr_t)blocks[i] % alignment, 0);
    assert_int_equal((uintptr_t)blocks[i] % 16, 0);
    for (size_t j = 0; j < sizes[i]; j++)
      assert_int_equal(blocks[i][j], 0);
    memset(blocks[i], i & 255, sizes[i]);
  }
  for (int i = 0; i < N; i++) {
    assert_true(early_contains(blocks[i]));
    assert_int_equal(early_size(blocks[i]), sizes[i]);
    for (size_t j = 0; j < sizes[i]; j++)
      assert_int_equal(blocks[i][j], i & 255);
  }
}

TEST(test_others)
{
  void *p = malloc(10), *large = early_allocate(16, EARLY_BYTES / 4);
  assert_false(early_contains(p));
  assert_false(early_contains(&p));
  assert_false(early_contains(NULL));
  free(p);
  assert_non_null(large);
  assert_true(early_contains((char *)large + EARLY_BYTES / 4 - 1));
  assert_int_equal(early_size(large), EARLY_BYTES / 4);
  assert_null(early_allocate(16, EARLY_BYTES - 100));
  errno = 0;
  assert_null(early_allocate(16, SIZE_MAX - 100));
  assert_int_equal(errno, ENOMEM);
  assert_null(early_allocate(SIZE_MAX / 2 + 1, 1));
}

RUN_TESTS(NULL, NULL)
