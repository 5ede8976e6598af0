/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Slices of time are joined where there are too many, and where they have too
 * many growths; figures that are forgotten are in none; what is freed is in
 * the slice in which that is read.  Readings are of an image made here. */

#include "attempting.h"
#include "images/timeline.h"

enum { LEAVES = 40, FIRST = LEAF_OVERFLOW, END = FIRST + LEAVES };

static struct kind kinds[END];
static struct leaf leaves[END];
static struct leaf_counters counters[END];
static struct image_tree tree = {
    .tree = {.leaves = leaves, .kinds = kinds, .leaf_count = END}};
static struct image image = {.trees = &tree, .tree_count = 1};
static struct timeline timeline;

static void
begin(void)
{
  timeline_release(&timeline);
  timeline = (struct timeline){.interval = 1};
  for (uint32_t i = FIRST; i < END; i++) {
    kinds[i].size = 10;
    leaves[i] = (struct leaf){.kind = i};
  }
}

/* Allocates COUNT objects of 10 bytes, and reads the image at TIME. */
static void
read_image(uint32_t first, uint32_t end, uint64_t count, uint64_t time,
           uint64_t generation)
{
  for (uint32_t i = first; i < end; i++) {
    leaves[i].count += count;
    leaves[i].bytes += 10 * count;
  }
  timeline_take(&timeline, &image, NULL, generation, time,
                (struct timeline_state){.in_use = time});
}

/* Checks that the slices from FROM on and before TO have COUNT objects; both
 * are times at which slices start. */
static void
check_slices(uint64_t from, uint64_t to, uint64_t count)
{
  size_t growth_count;
  struct object_count sum = {0};
  struct timeline_growth *growths =
      timeline_growths(&timeline, &growth_count);
  for (size_t i = 0; i < growth_count; i++) {
    const uint64_t start = timeline.slices[growths[i].slice].start;
    if (start >= from && start < to)
      object_count_add(&sum, &growths[i].allocated);
  }
  assert_int_equal(sum.count, count);
  assert_int_equal(sum.bytes, 10 * count);
}

TEST(many_slices)
{
  enum { READINGS = 3 * TIMELINE_SLICES };
  begin();
  for (uint64_t i = 0; i < READINGS; i++)
    read_image(FIRST, FIRST + 1, i % 4 == 0 ? 5 : 0, i + 1, 0);
  assert_true(timeline.slice_count < TIMELINE_SLICES);
  assert_int_equal(timeline.joined, 2);
  for (uint64_t i = 0; i < READINGS; i += 4)
    check_slices(i, i + 4, 5);
}

TEST(many_growths)
{
  enum { READINGS = 90, MOST = 200 };
  size_t growths;
  begin();
  timeline.most = MOST;
  for (uint64_t i = 0; i < READINGS; i++)
    read_image(FIRST, END, 1, i + 1, 0);
  timeline_growths(&timeline, &growths);
  assert_in_range(growths, MOST / 2, MOST);
  assert_in_range(timeline.last, READINGS / 2, READINGS);
  check_slices(0, UINT64_MAX, timeline.last * LEAVES);
}

TEST(other_generation)
{
  begin();
  read_image(FIRST, END, 3, 1, 0);
  for (uint32_t i = FIRST; i < END; i++)
    leaves[i] = (struct leaf){.count = 0};
  read_image(FIRST, FIRST + 2, 7, 2, 1);
  check_slices(0, 1, 0);
  check_slices(1, 2, 14);
}

/* Reads the image of a C program at TIME, of which a leaf has allocated
 * ALLOCATED objects of 10 bytes, and FREED of them were freed, but for
 * MISSING bytes that are not counted yet. */
static void
read_frees(uint64_t allocated, uint64_t freed, uint64_t missing,
           uint64_t time)
{
  leaves[FIRST + 1].count = allocated;
  leaves[FIRST + 1].bytes = 10 * allocated;
  counters[FIRST + 1].freed =
      (struct object_count){freed, 10 * freed - missing};
  timeline_take(&timeline, &image, counters, 0, time,
                (struct timeline_state){.in_use = 0});
}

TEST(frees)
{
  static const struct object_count expected[][2] = {
      {{5, 50}, {0, 0}}, {{0, 0}, {2, 20}}, {{3, 30}, {4, 40}}};
  static const uint64_t in_use[] = {50, 30, 20, 20};
  size_t count;
  begin();
  image.head.language = IMAGE_C;
  read_frees(5, 0, 0, 1);
  read_frees(5, 2, 7, 2);
  read_frees(8, 6, 0, 3);
  read_frees(8, 9, 0, 4); /* more than there are: not all was read at once */
  image.head.language = IMAGE_LISP;
  const struct timeline_growth *growths = timeline_growths(&timeline, &count);
  assert_int_equal(count, 3);
  for (size_t i = 0; i < count; i++) {
    assert_int_equal(growths[i].slice, i);
    assert_memory_equal(&growths[i].allocated, &expected[i][0],
                        sizeof growths[i].allocated);
    assert_memory_equal(&growths[i].freed, &expected[i][1],
                        sizeof growths[i].freed);
  }
  for (size_t i = 0; i < 4; i++)
    assert_int_equal(timeline.slices[i].state.in_use, in_use[i]);
}

RUN_TESTS_IN_ATTEMPT(NULL, NULL)
