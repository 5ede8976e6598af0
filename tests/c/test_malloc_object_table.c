/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * test_malloc_object_table.c -- the table of objects against a plain array
 * that says the same: what is put and taken at random, while it grows and
 * shrinks, comes out as it went in.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "c/interpose/object_table.h"

struct expected {
  struct object_record object;
  bool live;
};

static uint64_t seed = 88172645463325252u;

static uint64_t
any(void)
{
  seed ^= seed << 13;
  seed ^= seed >> 7;
  seed ^= seed << 17;
  return seed;
}

static void
put(struct object_table *t, struct expected *e)
{
  e->object.bytes = any();
  e->object.counted.leaf = (owned_leaf)any();
  e->object.counted.epoch = (uint32_t)any();
  assert_true(object_table_reserve(t));
  object_table_put(t, &e->object);
  e->live = true;
}

static void
compare(const struct object_record *a, const struct object_record *b)
{
  assert_true(a->address == b->address);
  assert_true(a->bytes == b->bytes);
  assert_int_equal(a->counted.leaf, b->counted.leaf);
  assert_int_equal(a->counted.epoch, b->counted.epoch);
}

static void
take(struct object_table *t, struct expected *e)
{
  struct object_record o;
  assert_true(object_table_remove(t, e->object.address, &o));
  compare(&o, &e->object);
  assert_false(object_table_remove(t, e->object.address, &o));
  object_table_unreserve(t);
  e->live = false;
}

/* Addresses like those of an allocator: close together, in a few regions. */
static struct expected *
make_model(size_t n)
{
  struct expected *model = calloc(n, sizeof *model);
  for (size_t i = 0; i < n; i++)
    model[i].object.address =
        (i % 7 == 0 ? 0x550000000000u : 0x7F0000000000u) - (uintptr_t)i * 32;
  return model;
}

static void
test_random(void **state)
{
  enum { N = 30000, STEPS = 600000 };
  struct expected *model = make_model(N);
  struct object_table table = { 0 };
  struct object_record o;
  size_t live = 0;
  (void)state;
  assert_false(object_table_remove(&table, 16, &o));
  put(&table, &model[0]);
  take(&table, &model[0]);
  for (long step = 0; step < STEPS; step++) {
    struct expected *e = &model[any() % N];
    const unsigned rising = step < STEPS / 2 ? 8 : 2;
    if (!e->live && any() % 10 < rising) {
      put(&table, e);
      live++;
    } else if (e->live && any() % 10 >= rising) {
      take(&table, e);
      live--;
    } else if (e->live) {
      put(&table, e); /* in its place */
    } else {
      assert_false(object_table_remove(&table, e->object.address, &o));
    }
    assert_int_equal(table.count, live);
  }
  for (size_t i = 0; i < N; i++)
    if (model[i].live)
      take(&table, &model[i]);
  assert_int_equal(table.count, 0);
  arena_release(&table.arena);
  free(model);
}

int
main(void)
{
  const struct CMUnitTest tests[] = { cmocka_unit_test(test_random) };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
