/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* A program is read again and again while it runs: each slice of time has
 * what it was told to allocate meanwhile, to the object, and all slices have
 * what there is without them.
 */

#include "asked_fixture.h"

#include "recover/timeline.h"

enum { SECOND = 1000000000 };

static struct timeline timeline;

/* Reads the program's file into PROFILE, by way of a profile that is written
 * and read again, as that checks samples one by one. */
static void
read_timed(struct profile *profile)
{
  const char *name = pool_format("%s.timed", scratch);
  struct input_name image = {.path = scratch, .timeline = &timeline};
  const struct input_list list = {.files = &image, .count = 1};
  struct profile built;
  profile_load_list(&built, &list, true, NULL);
  profile_save(&built, name, false);
  profile_load(profile, &name, 1);
  unlink(name);
}

/* What the slices that start at FROM, or later and before TO, allocated. */
static struct object_count
allocated(const struct profile *profile, uint64_t from, uint64_t to)
{
  struct object_count sum = {0};
  for (size_t i = 0; i < profile->sample_count; i++) {
    const int64_t time = profile->labels[profile->samples[i].labels].time;
    const bool any = profile_value(profile, i, MEASURE_ALLOCS) != 0 ||
                     profile_value(profile, i, MEASURE_BYTES) != 0;
    assert_int_equal(time >= 0, any); /* or it is one of calls */
    if (time >= 0 && (uint64_t)time >= from && (uint64_t)time < to) {
      sum.count += profile_value(profile, i, MEASURE_ALLOCS);
      sum.bytes += profile_value(profile, i, MEASURE_BYTES);
    }
  }
  return sum;
}

static void
check_slice(const struct profile *profile, uint64_t from, uint64_t to,
            uint64_t count, uint64_t bytes)
{
  const struct object_count sum = allocated(profile, from, to);
  assert_int_equal(sum.count, count);
  assert_int_equal(sum.bytes, bytes);
}

static void
test_slices(void **state)
{
  enum { SLICES = 20 };
  struct profile timed, plain;
  (void)state;
  for (uint64_t i = 0; i <= SLICES; i++) {
    tell_to_allocate((uint32_t)(100 + i), 24);
    tell_to_free(2, 24);
    if (i % 3 == 0)
      tell_to_allocate((uint32_t)i, 5000 + i);
    if (i < SLICES)
      timeline_take_file(&timeline, scratch, (i + 1) * SECOND);
  }
  read_timed(&timed);
  read_profile(&plain);
  for (int use = 0; use < COLUMN_USES; use++)
    assert_int_equal(timed.total[use], plain.total[use]);
  check_profile(&timed);
  for (uint64_t i = 0; i <= SLICES; i++) {
    const uint64_t large = i % 3 == 0 ? i : 0;
    check_slice(&timed, i * SECOND, (i + 1) * SECOND, 100 + i + large,
                (100 + i) * 24 + large * (5000 + i));
  }
}

/* However many readings there are; that is also one that comes early. */
static void
test_joined(void **state)
{
  enum { READINGS = 3 * TIMELINE_SLICES };
  struct profile timed;
  (void)state;
  for (uint64_t i = 0; i < READINGS; i++) {
    if (i % 4 == 0)
      tell_to_allocate(5, 40);
    timeline_take_file(&timeline, scratch, (i + 1) * SECOND);
  }
  assert_true(timeline.slice_count < TIMELINE_SLICES);
  assert_int_equal(timeline.joined, 2);
  read_timed(&timed);
  check_profile(&timed);
  for (uint64_t i = 0; i < READINGS; i += 4)
    check_slice(&timed, i * SECOND, (i + 4) * SECOND, 5, 200);
}

/* Where all leaves grow all the time, they have few slices each. */
static void
test_bounded(void **state)
{
  enum { READINGS = 90, SIZES = 40, MOST = 200 };
  struct profile timed;
  size_t timed_samples = 0;
  (void)state;
  timeline.most = MOST;
  for (uint64_t i = 0; i < READINGS; i++) {
    for (uint64_t size = 1; size <= SIZES; size++)
      tell_to_allocate(1, size);
    timeline_take_file(&timeline, scratch, (i + 1) * SECOND);
  }
  read_timed(&timed);
  check_profile(&timed);
  for (size_t i = 0; i < timed.sample_count; i++)
    timed_samples += timed.labels[timed.samples[i].labels].time >= 0;
  assert_in_range(timed_samples, MOST / 2, MOST + SIZES);
  check_slice(&timed, 0, UINT64_MAX, READINGS * SIZES,
              READINGS * SIZES * (SIZES + 1) / 2);
}

/* Figures that are forgotten are in no slice. */
static void
test_reset(void **state)
{
  struct profile timed;
  (void)state;
  tell_to_allocate(10, 24);
  timeline_take_file(&timeline, scratch, SECOND);
  reset();
  tell_to_allocate(30, 24);
  timeline_take_file(&timeline, scratch, 2 * (uint64_t)SECOND);
  tell_to_allocate(1, 24);
  read_timed(&timed);
  check_profile(&timed);
  check_slice(&timed, 0, SECOND, 0, 0);
  check_slice(&timed, SECOND, 2 * (uint64_t)SECOND, 30, 720);
  check_slice(&timed, 2 * (uint64_t)SECOND, UINT64_MAX, 1, 24);
}

/* A program that is killed has what it had. */
static void
test_killed(void **state)
{
  struct profile timed;
  (void)state;
  tell_to_allocate(10, 24);
  timeline_take_file(&timeline, scratch, SECOND);
  tell_to_allocate(7, 3000);
  kill(program, SIGKILL);
  waitpid(program, NULL, 0);
  timeline_take_file(&timeline, scratch, SECOND + 1);
  read_timed(&timed);
  check_slice(&timed, 0, SECOND, 10, 240);
  check_slice(&timed, SECOND, UINT64_MAX, 7, 21000);
}

static int
begin(void **state)
{
  timeline = (struct timeline){.interval = SECOND};
  return set_up(state);
}

static int
end(void **state)
{
  timeline_release(&timeline);
  return tear_down(state);
}

int
main(int argc, char **argv)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(test_slices, begin, end),
      cmocka_unit_test_setup_teardown(test_joined, begin, end),
      cmocka_unit_test_setup_teardown(test_bounded, begin, end),
      cmocka_unit_test_setup_teardown(test_reset, begin, end),
      cmocka_unit_test_setup_teardown(test_killed, begin, end),
  };
  return asked_main(argc, argv, "control_timeline", tests,
                    sizeof tests / sizeof *tests);
}
