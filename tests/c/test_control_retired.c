/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* A program is asked for its profile while its contexts are retired, over and
 * over: each is of one moment, and has all that was counted until then.
 */

#include "asked_fixture.h"

/* Of an object of each size. */
enum { ALL_BYTES = OBJECTS_OF_WORK * (OBJECTS_OF_WORK + 1) / 2 };

static int
set_up_small(void **state)
{
  setenv("MPROF_BUDGET", "300", true);
  return set_up(state);
}

static uint64_t
count_retired(const struct profile *profile)
{
  uint64_t sum = 0;
  for (size_t i = 0; i < profile->sample_count; i++) {
    const uint32_t item = profile->tree.nodes[profile->samples[i].node].item;
    const struct profile_location *l = &profile->locations[item];
    const uint32_t f = profile->lines[l->first_line].function;
    if (f != INDEX_NONE &&
        strcmp(names_text(&profile->names, profile->functions[f].name),
               "[retired]") == 0)
      sum += profile_value(profile, i, MEASURE_ALLOCS);
  }
  return sum;
}

static void
check_moment(const struct profile *profile, uint64_t *retired)
{
  uint64_t live = profile->total[MEASURE_KEPT_ALLOCS];
  assert_int_equal(profile->total[MEASURE_ALLOCS],
                   profile->facts[FACT_ALLOCATIONS]);
  assert_int_equal(profile->total[MEASURE_BYTES], profile->facts[FACT_BYTES]);
  assert_true(profile->total[MEASURE_PEAK_BYTES] <= ALL_BYTES);
  assert_int_equal(profile->facts[FACT_UNATTRIBUTED_ALLOCATIONS], 0);
  assert_true(live <= OBJECTS_OF_WORK);
  assert_true(count_retired(profile) >= *retired);
  *retired = count_retired(profile);
}

/* The thread has an object of each size, after a while. */
static void
test_retiring(void **state)
{
  uint64_t retired = 0;
  int64_t made;
  struct profile profile;
  struct control_figures figures;
  (void)state;
  tell(BEGIN);
  reset();
  tell(WORK);
  for (int i = 0; i < 100 || retired == 0; i++) {
    read_profile(&profile);
    check_moment(&profile, &retired);
    profile_release(&profile);
  }
  made = tell(REST);
  figures = ask(CONTROL_STATUS);
  assert_int_equal(figures.allocations, made);
  assert_int_equal(figures.live_objects, OBJECTS_OF_WORK);
  assert_int_equal(figures.live_bytes, ALL_BYTES);
  assert_int_equal(figures.peak_bytes, ALL_BYTES);
  assert_int_equal(figures.overflows, 0);
  assert_true(figures.contexts <= 600);
  read_profile(&profile);
  check_moment(&profile, &retired);
  profile_release(&profile);
  /* and what begins anew does so */
  reset();
  tell(WORK);
  made = tell(REST) - made;
  assert_int_equal(ask(CONTROL_STATUS).allocations, made);
}

int
main(int argc, char **argv)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(test_retiring, set_up_small, tear_down),
  };
  return asked_main(argc, argv, "retired", tests,
                    sizeof tests / sizeof *tests);
}
