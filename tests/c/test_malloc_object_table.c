/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * test_malloc_object_table.c -- the table of objects against a plain array
 * that says the same: what is added and removed at random, while it grows and
 * shrinks, comes out as it went in.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "malloc/object_table.h"

struct expected {
  uintptr_t address;
  size_t usable, bytes;
  uint32_t leaf;
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
choose(struct expected *e)
{
  const unsigned kind = (unsigned)(any() % 50);
  e->bytes = any() % 5000;
  e->usable = e->bytes + (kind == 0   ? (any() & 0x7FFFFFFF) * 16
                          : kind == 1 ? 120 + any() % 16
                                      : any() % 64);
  e->leaf = (uint32_t)any() & 0x0FFFFFFF;
}

static void
add(struct object_table *t, struct expected *e)
{
  struct table_object o = { .leaf = e->leaf, .bytes = e->bytes };
  assert_int_equal(object_table_add(t, e->address, e->usable, &o),
                   TABLE_ADDED);
  e->live = true;
}

static void
take(struct object_table *t, struct expected *e)
{
  struct table_object o = { 0 };
  assert_true(object_table_find(t, e->address, e->usable, &o));
  assert_int_equal(o.leaf, e->leaf);
  memset(&o, 0, sizeof o);
  assert_true(object_table_remove(t, e->address, e->usable, &o));
  assert_int_equal(o.leaf, e->leaf);
  assert_int_equal(o.bytes, e->bytes);
  assert_false(object_table_find(t, e->address, e->usable, &o));
  e->live = false;
}

/* Addresses like those of an allocator: close together, in a few regions. */
static struct expected *
make_model(size_t n)
{
  struct expected *model = calloc(n, sizeof *model);
  for (size_t i = 0; i < n; i++)
    model[i].address = (i % 7 == 0 ? 0x550000000000u : 0x7F0000000000u) -
                       (uintptr_t)i * 32;
  return model;
}

static void
test_random(void **state)
{
  enum { N = 30000, STEPS = 600000 };
  struct expected *model = make_model(N);
  struct object_table table = { 0 };
  size_t live = 0;
  (void)state;
  for (long step = 0; step < STEPS; step++) {
    struct expected *e = &model[any() % N];
    const unsigned rising = step < STEPS / 2 ? 8 : 2;
    struct table_object o;
    if (!e->live && any() % 10 < rising) {
      choose(e);
      add(&table, e);
      live++;
    } else if (e->live && any() % 10 >= rising) {
      take(&table, e);
      live--;
    } else if (!e->live) {
      assert_false(object_table_remove(&table, e->address, 100, &o));
    }
    assert_int_equal(table.all.count, live);
  }
  for (size_t i = 0; i < N; i++)
    if (model[i].live)
      take(&table, &model[i]);
  assert_int_equal(table.all.count, 0);
  assert_int_equal(table.wide.count, 0);
  object_table_clear(&table);
  assert_int_equal(object_table_bytes(&table), 0);
  free(model);
}

/* At most 16 bytes for each object, beyond what an empty table has. */
static void
test_memory(void **state)
{
  static const size_t sizes[] = { 1000, 10000, 100000, 1000000 };
  (void)state;
  for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
    struct expected *model = make_model(sizes[s]);
    struct object_table table = { 0 };
    size_t constant, most = 0;
    model[0].bytes = model[0].usable = 16;
    add(&table, &model[0]);
    constant = object_table_bytes(&table);
    for (size_t i = 1; i < sizes[s]; i++) {
      model[i].bytes = 20;
      model[i].usable = 24;
      model[i].leaf = (uint32_t)i;
      add(&table, &model[i]);
      if (object_table_bytes(&table) > constant + 16 * (i + 1))
        most++;
    }
    assert_int_equal(most, 0);
    for (size_t i = sizes[s]; i-- > 0;) {
      take(&table, &model[i]);
      if (i > 0 && object_table_bytes(&table) > constant + 16 * i + 4096)
        most++;
    }
    assert_int_equal(most, 0); /* none for the dead */
    assert_true(object_table_bytes(&table) <= constant);
    object_table_clear(&table);
    free(model);
  }
}

static void
test_replaced(void **state)
{
  struct object_table table = { 0 };
  struct table_object o = { .leaf = 5, .bytes = 100 };
  (void)state;
  assert_int_equal(object_table_add(&table, 0x1000, 100000, &o), TABLE_ADDED);
  o = (struct table_object){ .leaf = 6, .bytes = 120 };
  assert_int_equal(object_table_add(&table, 0x1000, 100000, &o),
                   TABLE_REPLACED);
  assert_int_equal(o.leaf, 5);
  assert_int_equal(o.bytes, 100);
  assert_int_equal(table.all.count, 1);
  assert_int_equal(table.wide.count, 1);
  assert_true(object_table_remove(&table, 0x1000, 100000, &o));
  assert_int_equal(o.leaf, 6);
  assert_int_equal(o.bytes, 120);
  assert_int_equal(table.wide.count, 0);
  object_table_clear(&table);
}

int
main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_random),
    cmocka_unit_test(test_memory),
    cmocka_unit_test(test_replaced),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
