/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * test_malloc_stripes.c -- the counters of several threads against one plain
 * list of all events: what is counted, what is live, and what was live by leaf
 * when most bytes were.  The threads here take turns, so there is one order.
 *
 * Then a count is stopped after each of its steps, as a signal would.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "malloc/interpose/malloc_hook.h"
#include "malloc/count/stripes.h"

enum { BUDGET = 64, LEAVES = 40, OBJECTS = 3000 };

struct figures {
  uint64_t count, bytes, freed_count, freed_bytes, peak_count, peak_bytes;
};

static struct model {
  struct figures leaves[LEAVES];
  uint64_t live, peak_bytes;
} model;

static struct object {
  size_t bytes;
  owned_leaf leaf; /* 0: it is not there */
} objects[OBJECTS];

static uint64_t seed = 88172645463325252u;

static const struct context_tree tree = { .leaf_count = LEAVES,
                                          .budget = BUDGET };

static uint64_t
any(void)
{
  seed ^= seed << 13;
  seed ^= seed >> 7;
  seed ^= seed << 17;
  return seed;
}

/* What the hook does. */
static void
allocate(struct stripe_user *user, struct object *o, uint32_t leaf,
         size_t bytes)
{
  struct stripe *s = stripes_lock_mine(user);
  if (stripe_has_room(s, bytes)) {
    o->leaf = count_allocation(user, s, leaf, (uintptr_t)o, bytes).leaf;
    stripe_grow(s);
    spin_unlock(&s->lock);
  } else {
    spin_unlock(&s->lock);
    stripes_lock();
    o->leaf = count_allocation(user, s, leaf, (uintptr_t)o, bytes).leaf;
    stripes_settle();
    stripes_lack_room();
    stripes_unlock();
  }
  o->bytes = bytes;
}

static void
model_allocate(uint32_t leaf, size_t bytes)
{
  model.leaves[leaf].count++;
  model.leaves[leaf].bytes += bytes;
  model.live += bytes;
  if (model.live > model.peak_bytes) {
    model.peak_bytes = model.live;
    for (int i = 0; i < LEAVES; i++) {
      struct figures *f = &model.leaves[i];
      f->peak_count = f->count - f->freed_count;
      f->peak_bytes = f->bytes - f->freed_bytes;
    }
  }
}

static void
end(struct stripe_user *user, struct object *o)
{
  struct figures *f = &model.leaves[owned_leaf_number(o->leaf)];
  struct stripe *s = stripes_lock_mine(user);
  count_end(user, s, (uintptr_t)o, o->leaf, o->bytes);
  spin_unlock(&s->lock);
  f->freed_count++;
  f->freed_bytes += o->bytes;
  model.live -= o->bytes;
  o->leaf = 0;
}

/* The figures of all leaves. */
static void
compare_lives(void)
{
  stripes_lock();
  assert_int_equal(stripes.peak_bytes, model.peak_bytes);
  for (uint32_t i = 1; i < LEAVES; i++) {
    const struct leaf_life life = stripes_life(i);
    const struct figures got = { life.allocated.count, life.allocated.bytes,
                                 life.freed.count,     life.freed.bytes,
                                 life.at_peak.count,   life.at_peak.bytes };
    assert_memory_equal(&got, &model.leaves[i], sizeof got);
  }
  stripes_unlock();
}

static void
compare(void)
{
  uint64_t count = 0, events = 0;
  compare_lives();
  for (uint32_t i = 1; i < LEAVES; i++) {
    count += model.leaves[i].count;
    events += model.leaves[i].count + model.leaves[i].freed_count;
  }
  assert_int_equal(stripes_count(), count);
  assert_int_equal(stripes_events(), events);
}

static struct stripe_user threads[40];

/* All is as at the beginning, with so many threads. */
static void
begin(int count)
{
  memset(&model, 0, sizeof model);
  memset(objects, 0, sizeof objects);
  stripes_forked();
  if (stripes.budget == 0)
    assert_true(stripes_open(BUDGET));
  for (int i = 0; i < count; i++)
    stripes_join(&threads[i]);
}

/* Each thread that has a number gets a stripe of its own. */
static void
part(int count)
{
  stripes_lock();
  for (int i = 0; i < count; i++)
    stripes_part(&threads[i]);
  stripes_unlock();
}

static void
gather(void)
{
  stripes_lock();
  stripes_gather();
  stripes_unlock();
}

static void
step(struct stripe_user *user, unsigned rising)
{
  struct object *o = &objects[any() % OBJECTS];
  if (o->leaf == 0 && any() % 10 < rising) {
    const uint32_t leaf = 1 + (uint32_t)(any() % (LEAVES - 1));
    const size_t bytes = any() % 100 == 0 ? any() % 100000 : any() % 300;
    allocate(user, o, leaf, bytes);
    model_allocate(leaf, bytes);
  } else if (o->leaf != 0 && any() % 10 >= rising) {
    end(user, o);
  }
}

/* One thread, few, as many as there are stripes, and more. */
static void
test_random(void **state)
{
  static const int counts[] = { 1, 2, 3, 7, 15, 16, 40 };
  (void)state;
  for (size_t c = 0; c < sizeof counts / sizeof *counts; c++) {
    const int n = counts[c];
    const uint32_t most = 1 + (uint32_t)(n < STRIPES ? n : STRIPES - 1);
    begin(n);
    for (int i = 0; i < 100000; i++) {
      if (i % 10000 == 2000)
        part(n);
      if (i % 30000 == 20000)
        gather();
      /* it grows and shrinks, and now and then more than before */
      step(&threads[any() % (unsigned)n], i / 5000 % 3 == 2 ? 2 : 7);
      if (i % 500 == 0)
        compare();
    }
    compare();
    assert_int_equal(stripes.used, most);
  }
}

/* Where most allocations are a new peak, all come back to the first. */
static void
test_growth(void **state)
{
  (void)state;
  begin(5);
  part(5);
  assert_int_equal(stripes.open, 6);
  for (int i = 0; i < OBJECTS; i++) {
    allocate(&threads[i % 5], &objects[i], 1, 100);
    model_allocate(1, 100);
  }
  assert_int_equal(stripes.open, 1);
  compare();
  /* and stay apart where none is */
  for (int i = 0; i < OBJECTS; i++)
    end(&threads[i % 5], &objects[i]);
  part(5);
  for (int i = 0; i < 20 * OBJECTS; i++) {
    allocate(&threads[i % 5], &objects[i % 50], 2, 20);
    model_allocate(2, 20);
    end(&threads[i % 5], &objects[i % 50]);
  }
  assert_int_equal(stripes.open, 6);
  compare();
}

/* Temporary is what its own thread frees before its next allocation. */
static void
test_temporary(void **state)
{
  struct object a, b;
  (void)state;
  for (int together = 0; together < 2; together++) {
    begin(2);
    if (!together)
      part(2);
    allocate(&threads[0], &a, 1, 10);
    allocate(&threads[1], &b, 2, 10);
    end(&threads[0], &a);
    assert_int_equal(stripes_life(1).temporary_count, 1);
    end(&threads[0], &b); /* another thread */
    assert_int_equal(stripes_life(2).temporary_count, 0);
    allocate(&threads[0], &a, 1, 10);
    allocate(&threads[0], &b, 2, 10);
    end(&threads[0], &a); /* too late */
    assert_int_equal(stripes_life(1).temporary_count, 1);
    end(&threads[0], &b);
    assert_int_equal(stripes_life(2).temporary_count, 1);
    /* at the address of an object of another thread */
    allocate(&threads[0], &a, 1, 10);
    end(&threads[1], &a);
    allocate(&threads[1], &a, 1, 10);
    end(&threads[0], &a);
    assert_int_equal(stripes_life(1).temporary_count, 1);
    /* though where it counts has changed */
    allocate(&threads[0], &a, 1, 10);
    if (together)
      part(2);
    else
      gather();
    end(&threads[0], &a);
    assert_int_equal(stripes_life(1).temporary_count, 2);
  }
}

/* With threads that begin in the midst of it, and others that end. */
static void
test_threads(void **state)
{
  (void)state;
  begin(1);
  for (int n = 1; n < 30; n++) {
    for (int i = 0; i < 2000; i++)
      step(&threads[any() % (unsigned)n], n % 3 == 2 ? 2 : 7);
    stripes_join(&threads[n]);
    assert_int_equal(threads[n].number, n + 1 < STRIPES ? n + 1 : 0);
    part(n % 5 == 0 ? n : 0);
    if (n % 4 == 0) {
      const uint32_t number = threads[n / 2].number;
      stripes_leave(&threads[n / 2]);
      compare();
      stripes_join(&threads[n / 2]);
      assert_int_equal(threads[n / 2].number, number);
    }
    compare();
  }
}

/* The steps of stripe_count, of which so many are made. */
static void
count_in_steps(struct stripe *s, bool freed, uint32_t leaf, size_t bytes,
               int steps)
{
  struct leaf_life *life = &s->lives[leaf];
  struct tally *tally = freed ? &life->freed : &life->allocated;
  s->changing = leaf;
  stripe_keep_peak(life);
  tally->count += steps > 0;
  tally->bytes += steps > 1 ? bytes : 0;
  *(freed ? &s->freed_count : &s->count) += steps > 2;
  if (steps > 3)
    s->live += freed ? -(int64_t)bytes : (int64_t)bytes;
}

static uint64_t
sum_of_bytes(bool freed)
{
  uint64_t sum = 0;
  for (uint32_t i = 1; i < LEAVES; i++)
    sum += freed ? stripes_life(i).freed.bytes
                 : stripes_life(i).allocated.bytes;
  return sum;
}

/* A handler finds the count of `free' stopped after so many steps: what it
 * sees is as before, or as after it; then the count can go on. */
static void
interrupt(bool freed, int stripe, int steps)
{
  const size_t bytes = 1000;
  const uint32_t leaf = 5;
  struct stripes_interrupted interrupted;
  struct stripe_user *const user = &threads[stripe];
  struct stripe *s, before;
  struct leaf_life life;
  int64_t live = 0, ceilings = 0;
  begin(3);
  if (stripe > 0)
    part(3);
  for (int i = 0; i < 3000; i++)
    step(&threads[i % 3], 6);
  if (stripe > 0)
    part(3);
  if (objects[0].leaf != 0)
    end(user, &objects[0]);
  allocate(user, &objects[0], leaf, 2 * bytes);
  model_allocate(leaf, 2 * bytes);
  end(user, &objects[0]); /* there is room */
  compare();
  s = user->stripe;
  assert_ptr_equal(s, &stripes.stripe[stripe == 0 ? 0 : user->number]);
  spin_lock(&s->lock);
  count_in_steps(s, freed, leaf, bytes, steps);
  before = *s;
  life = s->lives[leaf];

  stripes_interrupt(&interrupted, &tree);
  assert_false(stripes_are_interrupted());
  if (steps > 1 && freed) {
    model.leaves[leaf].freed_count++;
    model.leaves[leaf].freed_bytes += bytes;
  } else if (steps > 1) {
    model_allocate(leaf, bytes);
  }
  compare_lives();
  for (uint32_t i = 0; i < stripes.used; i++) {
    live += stripes.stripe[i].live;
    ceilings += stripes.stripe[i].ceiling;
  }
  assert_int_equal(live, sum_of_bytes(false) - sum_of_bytes(true));
  assert_int_equal(ceilings, stripes.peak_bytes);

  stripes_resume(&interrupted);
  assert_true(stripes_are_interrupted());
  assert_memory_equal(&before, s, sizeof before);
  assert_memory_equal(&life, &s->lives[leaf], sizeof life);
  spin_unlock(&s->lock);
}

static void
test_interrupted(void **state)
{
  (void)state;
  for (int stripe = 0; stripe < 3; stripe++)
    for (int steps = 0; steps <= 4; steps++) {
      interrupt(false, stripe, steps);
      interrupt(true, stripe, steps);
    }
}

int
main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_random),
    cmocka_unit_test(test_growth),
    cmocka_unit_test(test_temporary),
    cmocka_unit_test(test_threads),
    cmocka_unit_test(test_interrupted),
  };
  malloc_monitor.counting = false; /* of this program itself, nothing */
  malloc_monitor.ready = false;
  return cmocka_run_group_tests(tests, NULL, NULL);
}
