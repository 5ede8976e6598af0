/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The index of records: all are found, in buckets that are split one at a
 * time, and records with one hash find room as long as there is any.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

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
  for (struct index_slot *s = record_index_begin(index, hash);
       s->number != 0; s = record_index_next(s))
    n += s->hash == hash && s->number == number;
  return n;
}

static void
add(struct record_index *index, uint32_t hash, uint32_t number)
{
  assert_true(record_index_reach(index, hash));
  record_index_add(index, hash, number);
}

static void
test_many(void **state)
{
  struct record_index index;
  uint64_t used = 0;
  (void)state;
  assert_int_equal(record_index_init(&index), 0);
  for (uint32_t i = 1; i <= MANY; i++) {
    add(&index, hash_of(i), i);
    if (i % 1024 == 0)
      for (uint32_t j = 1; j <= i; j += 997)
        assert_int_equal(found(&index, hash_of(j), j), 1);
  }
  for (uint32_t i = 1; i <= MANY; i++) {
    assert_int_equal(found(&index, hash_of(i), i), 1);
    assert_int_equal(found(&index, hash_of(i), i + MANY), 0);
  }
  for (uint32_t i = 0; i < index.bucket_count; i++) {
    used += index.buckets[i].used;
    assert_true(index.buckets[i].used < SIZE_BUCKET / 4 * 3);
    assert_true(index.buckets[i].depth <= index.depth);
  }
  assert_int_equal(used, MANY);
  record_index_clear(&index);
  assert_int_equal(found(&index, hash_of(1), 1), 0);
  add(&index, hash_of(1), 1);
  assert_int_equal(found(&index, hash_of(1), 1), 1);
  assert_int_equal(index.bucket_count, 1);
  record_index_release(&index);
}

/* What a new record moves is the slots of one bucket, whatever there is. */
static void
test_one_bucket_at_a_time(void **state)
{
  struct record_index index;
  uint32_t buckets = 1, most = 0;
  (void)state;
  assert_int_equal(record_index_init(&index), 0);
  for (uint32_t i = 1; i <= MANY; i++) {
    add(&index, hash_of(i), i);
    if (index.bucket_count - buckets > most)
      most = index.bucket_count - buckets;
    buckets = index.bucket_count;
  }
  if (SIZE_BUCKET >= 512)
    assert_int_equal(most, 1);
  record_index_release(&index);
}

static void
test_one_hash(void **state)
{
  struct record_index index;
  uint32_t n = 0;
  (void)state;
  assert_int_equal(record_index_init(&index), 0);
  while (record_index_reach(&index, 77) && n < SIZE_BUCKET)
    record_index_add(&index, 77, ++n);
  assert_int_equal(n, SIZE_BUCKET - 2);
  for (uint32_t i = 1; i <= n; i++)
    assert_int_equal(found(&index, 77, i), 1);
  add(&index, ~77u, 1); /* is elsewhere */
  assert_int_equal(found(&index, ~77u, 1), 1);
  record_index_release(&index);
}

int
main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_many),
      cmocka_unit_test(test_one_bucket_at_a_time),
      cmocka_unit_test(test_one_hash),
  };
  return cmocka_run_group_tests_name("record_index", tests, NULL, NULL);
}
