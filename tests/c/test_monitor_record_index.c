/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The index of records: all are found, while it grows and after it was
 * emptied, and so are records with one hash.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/sizes.h"
#include "image/record_index.h"

enum { MANY = 200000 };

static uint32_t
hash_of(uint32_t number)
{
  return (uint32_t)(number * UINT64_C(0x9E3779B97F4A7C15) >> 32);
}

/* How many slots say that the record is there. */
static unsigned
found(const struct record_index *index, uint32_t hash, uint32_t number)
{
  unsigned n = 0;
  for (struct index_slot *s = record_index_begin(index, hash); s->number != 0;
       s = record_index_next(index, s))
    n += s->hash == hash && s->number == number;
  return n;
}

static void
add(struct record_index *index, uint32_t hash, uint32_t number)
{
  assert_true(record_index_reach(index));
  record_index_add(index, hash, number);
}

static void
test_many(void **state)
{
  struct record_index index = {.used = 0};
  (void)state;
  for (uint32_t i = 1; i <= MANY; i++) {
    add(&index, hash_of(i), i);
    assert_true(index.used <= record_index_bytes(&index) / 8 / 4 * 3);
    if (i % 1024 == 0)
      for (uint32_t j = 1; j <= i; j += 997)
        assert_int_equal(found(&index, hash_of(j), j), 1);
  }
  for (uint32_t i = 1; i <= MANY; i++) {
    assert_int_equal(found(&index, hash_of(i), i), 1);
    assert_int_equal(found(&index, hash_of(i), i + MANY), 0);
  }
  assert_int_equal(index.used, MANY);
  record_index_clear(&index);
  assert_int_equal(found(&index, hash_of(1), 1), 0);
  assert_int_equal(record_index_bytes(&index), 8 << SIZE_INDEX_BITS);
  for (uint32_t i = 1; i <= MANY; i++)
    add(&index, hash_of(i), i);
  for (uint32_t i = 1; i <= MANY; i++)
    assert_int_equal(found(&index, hash_of(i), i), 1);
  arena_release(&index.arena);
}

/* The last slots are followed by the first ones. */
static void
test_one_hash(void **state)
{
  enum { N = 1000 };
  struct record_index index = {.used = 0};
  (void)state;
  for (uint32_t i = 1; i <= N; i++)
    add(&index, ~0u, i);
  for (uint32_t i = 1; i <= N; i++)
    assert_int_equal(found(&index, ~0u, i), 1);
  add(&index, 77, N + 1); /* is elsewhere */
  assert_int_equal(found(&index, 77, N + 1), 1);
  arena_release(&index.arena);
}

int
main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_many),
      cmocka_unit_test(test_one_hash),
  };
  return cmocka_run_group_tests_name("record_index", tests, NULL, NULL);
}
