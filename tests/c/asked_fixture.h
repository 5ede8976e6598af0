/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* This program as the one that is asked, and what it is told to do.
 */

#pragma once

#include "control_fixture.h"

#include "asked_program.h"

/* What it has been told, since its figures began. */
struct expected {
  uint64_t allocs, bytes, kept, kept_bytes, peak_bytes;
};

static struct expected expected;

/* ---- the program ---- */

static inline int64_t
await_answer(void)
{
  int64_t answer;
  assert_int_equal(read(answers, &answer, sizeof answer), sizeof answer);
  return answer;
}

static inline void
order(enum deed deed, uint32_t count, uint64_t bytes)
{
  const struct order o = {.deed = deed, .count = count, .bytes = bytes};
  assert_int_equal(write(orders, &o, sizeof o), sizeof o);
}

static inline int64_t
tell(enum deed deed)
{
  order(deed, 0, 0);
  return await_answer();
}

static inline void
tell_to_allocate(uint32_t count, uint64_t bytes)
{
  order(ALLOCATE, count, bytes);
  await_answer();
  expected.allocs += count;
  expected.bytes += count * bytes;
  expected.kept += count;
  expected.kept_bytes += count * bytes;
  if (expected.kept_bytes > expected.peak_bytes)
    expected.peak_bytes = expected.kept_bytes;
}

/* All of these have so many bytes. */
static inline void
tell_to_free(uint32_t count, uint64_t bytes)
{
  order(FREE, count, 0);
  await_answer();
  expected.kept -= count;
  expected.kept_bytes -= count * bytes;
}

/* ---- asking ---- */

static inline void
reset(void)
{
  assert_int_equal(tell(RESET), 0);
  expected = (struct expected){.allocs = 0};
}

static inline bool
has_function(const struct profile *profile, const char *name)
{
  for (size_t i = 0; i < profile->function_count; i++)
    if (strcmp(names_text(&profile->names, profile->functions[i].name),
               name) == 0)
      return true;
  return false;
}

static inline void
check_profile(const struct profile *profile)
{
  assert_int_equal(profile->total[MEASURE_ALLOCS], expected.allocs);
  assert_int_equal(profile->total[MEASURE_BYTES], expected.bytes);
  assert_int_equal(profile->total[MEASURE_KEPT_ALLOCS], expected.kept);
  assert_int_equal(profile->total[MEASURE_KEPT_BYTES], expected.kept_bytes);
  assert_int_equal(profile->total[MEASURE_PEAK_BYTES], expected.peak_bytes);
  assert_int_equal(has_function(profile, "allocate_objects"),
                   expected.allocs > 0);
}

/* The program says what is expected. */
static inline void
check(void)
{
  struct profile profile;
  read_profile(&profile);
  check_profile(&profile);
}

/* ---- set-up ---- */

/* As start_program does. */
static inline void
start(bool monitored)
{
  start_program(asked_arguments, monitored);
  await_answer();
}

static inline int
set_up(void **state)
{
  if (open_control(state) != 0)
    return -1;
  start(true);
  reset();
  return 0;
}

/* Nobody counts. */
static inline int
set_up_bare(void **state)
{
  if (open_control(state) != 0)
    return -1;
  start(false);
  return 0;
}

static inline int
tear_down(void **state)
{
  (void)state;
  end_program();
  control_close(&control);
  return 0;
}

static inline int
asked_main(int argc, char **argv, const char *name,
           const struct CMUnitTest *tests, size_t count)
{
  if (argc > 1 && strcmp(argv[1], "program") == 0)
    return asked_program();
  return run_in_attempt(
      (struct group){name, tests, count, make_folder, remove_folder, 0});
}
