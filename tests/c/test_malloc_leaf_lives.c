/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * test_malloc_leaf_lives.c -- leaves become others again and again, as when
 * contexts are retired, while threads allocate and free: what each of them
 * has counted, and what was live in it at the peak, is what a plain list of
 * all events says, and each object is known by its number.
 */
#include "stripes_fixture.h"

#include "malloc/count/leaf_lives.h"

enum { BUDGET = 50, THREADS = 7 };

static struct leaf records[LEAVES];
static struct context_tree tree = {
    .budget = BUDGET, .leaves = records, .leaf_count = LEAVES};
static struct leaf_lives lives;
static uint32_t leaf_of_object[OBJECTS];
static void
begin_lives(void)
{
  begin(THREADS);
  leaf_lives_clear(&lives);
  tree.overflowed = 0;
}

static void
allocate_in(uint32_t leaf, size_t i, size_t bytes)
{
  const uint32_t life = leaf_lives_take(&lives, &tree, leaf);
  leaf = leaf_lives_leaf(&lives, life);
  allocate(&threads[any() % THREADS], &objects[i], life, bytes);
  model_allocate(leaf, bytes);
  leaf_of_object[i] = leaf;
}

static void
end_object(size_t i)
{
  model_end(leaf_of_object[i], objects[i].bytes);
  end_counted(&threads[any() % THREADS], &objects[i]);
}

static void
step_lives(unsigned rising)
{
  const size_t i = any() % OBJECTS;
  if (objects[i].leaf == 0 && any() % 10 < rising)
    allocate_in(LEAF_FIRST + (uint32_t)(any() % (LEAVES - LEAF_FIRST)), i,
                any() % 300);
  else if (objects[i].leaf != 0 && any() % 10 >= rising)
    end_object(i);
}

static void
add_figures(struct figures *sum, const struct figures *f)
{
  sum->count += f->count;
  sum->bytes += f->bytes;
  sum->freed_count += f->freed_count;
  sum->freed_bytes += f->freed_bytes;
  sum->peak_count += f->peak_count;
  sum->peak_bytes += f->peak_bytes;
}

static void
renumber(const uint32_t *leaf_of)
{
  struct model now = {.live = model.live, .peak_bytes = model.peak_bytes};
  stripes_lock();
  assert_true(leaf_lives_begin(&lives, &tree));
  leaf_lives_renumber(&lives, leaf_of);
  stripes_unlock();
  for (uint32_t i = LEAF_OVERFLOW; i < LEAVES; i++)
    add_figures(&now.leaves[leaf_of[i]], &model.leaves[i]);
  model = now;
  for (size_t i = 0; i < OBJECTS; i++)
    leaf_of_object[i] = leaf_of[leaf_of_object[i]];
}

/* Leaves become fewer, by chance. */
static void
renumber_by_chance(void)
{
  const uint32_t few = 1 + (uint32_t)(any() % (LEAVES - LEAF_FIRST));
  uint32_t leaf_of[LEAVES] = {[LEAF_OVERFLOW] = LEAF_OVERFLOW};
  for (uint32_t i = LEAF_FIRST; i < LEAVES; i++)
    leaf_of[i] = LEAF_FIRST + (uint32_t)(any() % few);
  renumber(leaf_of);
}

static void
renumber_to_one(void)
{
  uint32_t leaf_of[LEAVES] = {[LEAF_OVERFLOW] = LEAF_OVERFLOW};
  for (uint32_t i = LEAF_FIRST; i < LEAVES; i++)
    leaf_of[i] = LEAF_FIRST;
  renumber(leaf_of);
}

static void
compare_lives(void)
{
  stripes_lock();
  assert_int_equal(stripes.peak_bytes, model.peak_bytes);
  for (uint32_t i = LEAF_OVERFLOW; i < LEAVES; i++) {
    const struct leaf_life life = leaf_lives_sum(&lives, i);
    const struct figures got = {life.allocated.count, life.allocated.bytes,
                                life.freed.count,     life.freed.bytes,
                                life.at_peak.count,   life.at_peak.bytes};
    assert_memory_equal(&got, &model.leaves[i], sizeof got);
  }
  stripes_unlock();
  for (size_t i = 0; i < OBJECTS; i++)
    if (objects[i].leaf != 0)
      assert_int_equal(
          leaf_lives_leaf(&lives, owned_life_number(objects[i].leaf)),
          leaf_of_object[i]);
  assert_true(lives.end <= 2 * BUDGET);
}

static void
test_random(void **state)
{
  (void)state;
  begin_lives();
  for (int i = 0; i < 300000; i++) {
    if (i % 10000 == 2000)
      part(THREADS);
    if (i % 30000 == 20000)
      gather();
    if (i > 50000 && i % 700 == 0)
      renumber_by_chance();
    step_lives(i / 5000 % 3 == 2 ? 2 : 7);
    if (i % 500 == 0)
      compare_lives();
  }
  compare_lives();
}

/* Each life has an object for good: when there are no more, objects belong to
 * the overflow's; and those that have ended give their numbers back. */
static void
test_no_more(void **state)
{
  uint64_t overflowed;
  size_t i = 0;
  (void)state;
  begin_lives();
  while (tree.overflowed == 0) {
    renumber_to_one();
    allocate_in(LEAF_FIRST, i++, 8);
    for (uint32_t leaf = LEAF_FIRST + 1; leaf < LEAVES; leaf++)
      allocate_in(leaf, i++, 8);
    compare_lives();
  }
  assert_int_equal(lives.end, 2 * BUDGET);
  overflowed = tree.overflowed;
  assert_int_equal(model.leaves[LEAF_OVERFLOW].count, overflowed);
  while (i > 0)
    end_object(--i);
  renumber_to_one();
  compare_lives();
  for (uint32_t leaf = LEAF_FIRST; leaf < LEAVES; leaf++)
    assert_int_not_equal(leaf_lives_take(&lives, &tree, leaf), LEAF_OVERFLOW);
  assert_int_equal(tree.overflowed, overflowed);
}

static void
test_forgotten(void **state)
{
  (void)state;
  begin_lives();
  renumber_to_one();
  assert_int_equal(leaf_lives_leaf(&lives, 9), 0);
  leaf_lives_clear(&lives);
  assert_int_equal(leaf_lives_take(&lives, &tree, 9), 9);
}

int
main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_random),
      cmocka_unit_test(test_no_more),
      cmocka_unit_test(test_forgotten),
  };
  malloc_monitor.counting = false; /* of this program itself, nothing */
  malloc_monitor.ready = false;
  return cmocka_run_group_tests(tests, NULL, NULL);
}
