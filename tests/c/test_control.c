/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* A program is asked for its figures while it runs: they are what it has been
 * told to allocate, to the object.
 */

#include "asked_fixture.h"

#include "command/attach.h"
#include "command/run_files.h"
#include "command/run_program.h"
#include "common/program_start.h"
#include "recover/image_reader.h"

#include <limits.h>
#include <stdlib.h>

static void
test_figures(void **state)
{
  (void)state;
  check();
  tell_to_allocate(100, 24);
  check();
  tell_to_free(70, 24);
  check();
  tell_to_allocate(3, 1 << 20);
  check();
  check();
  tell_to_free(30, 24);
  tell_to_free(3, 1 << 20);
  check();
  tell_to_allocate(50, 7);
  check();
}

static void
test_file(void **state)
{
  struct profile now, then;
  const char *name = scratch;
  (void)state;
  tell_to_allocate(100, 24);
  tell_to_free(70, 24);
  tell_to_allocate(3, 1 << 20);
  read_profile(&now);
  profile_load(&then, &name, 1);
  check_profile(&then);
  assert_int_equal(now.column_count, then.column_count);
  assert_int_equal(now.sample_count, then.sample_count);
  assert_memory_equal(now.values, then.values,
                      now.sample_count * now.column_count *
                          sizeof *now.values);
  assert_int_equal(now.function_count, then.function_count);
}

/* It is another one after each reset, and the last one after the end. */
static void
test_generation(void **state)
{
  (void)state;
  const uint64_t before = control_generation(&control);
  tell_to_allocate(10, 24);
  assert_int_equal(control_generation(&control), before);
  reset();
  const uint64_t after = control_generation(&control);
  assert_true(after > before);
  check();
  control_program_ended(&control);
  assert_int_equal(control_generation(&control), after);
}

static void
test_busy(void **state)
{
  struct profile last;
  uint64_t before = 0;
  int64_t made;
  (void)state;
  tell(BEGIN);
  reset();
  tell(WORK);
  for (int i = 0; i < 50; i++) {
    struct profile profile;
    read_profile(&profile);
    assert_true(profile.total[MEASURE_ALLOCS] >= before);
    assert_true(profile.total[MEASURE_KEPT_ALLOCS] <= OBJECTS_OF_WORK);
    assert_true(profile.total[MEASURE_ALLOCS] >=
                profile.total[MEASURE_KEPT_ALLOCS]);
    before = profile.total[MEASURE_ALLOCS];
  }
  made = tell(REST);
  read_profile(&last);
  assert_int_equal(last.total[MEASURE_ALLOCS], made);
  assert_int_equal(last.total[MEASURE_KEPT_ALLOCS],
                   made < OBJECTS_OF_WORK ? made : OBJECTS_OF_WORK);
}

static void
test_closed_and_locked(void **state)
{
  (void)state;
  assert_int_equal(tell(CLOSE_ALL), 0);
  assert_int_equal(tell(LOCK_MEMORY), 0);
  tell_to_allocate(10, 24);
  check();
}

static void
attach_process(void *options)
{
  struct run_files files;
  run_files_prepare(&files, scratch, NULL);
  attach_run(options, &files, NULL);
  run_files_release(&files);
}

static void *
attach(void *good)
{
  const struct options options = {.run = {.process = (size_t)program,
                                          .seconds = SIZE_MAX,
                                          .budget = SIZE_MAX,
                                          .temporary = SIZE_MAX,
                                          .quiet = true,
                                          .serve = "0"}};
  struct pool pool = {NULL, NULL};
  struct mprof_error error;
  *(bool *)good =
      attempt(&pool, attach_process, (void *)(uintptr_t)&options, &error);
  pool_release(&pool);
  return NULL;
}

/* Whether gdb is there and can call functions of the program; on processors
 * whose registers it does not know it cannot. */
static bool
gdb_can_call(void)
{
  char command[200];
  snprintf(command, sizeof command,
           "gdb -batch -nx -p %d -ex 'print ((int (*)(void))getpid)()' "
           "2>/dev/null | grep -q '= %d$'",
           (int)program, (int)program);
  return system(command) == 0;
}

/* Whether a debugger holds the program. */
static bool
is_traced(void)
{
  char path[64], line[256];
  bool traced = false;
  snprintf(path, sizeof path, "/proc/%d/status", (int)program);
  FILE *status = fopen(path, "re");
  assert_non_null(status);
  while (fgets(line, sizeof line, status) != NULL)
    traced = traced || (strncmp(line, "TracerPid:", 10) == 0 &&
                        strcmp(line + 10, "\t0\n") != 0);
  fclose(status);
  return traced;
}

/* gdb may take seconds to read the symbols of the C library, and stops the
 * program once more when the monitor is there. */
static void
wait_until_attached(void)
{
  struct image_head head = {0};
  while (!image_read_head(scratch, &head) ||
         head.process != (uint64_t)program || is_traced())
    usleep(10000);
}

static void
test_attached(void **state)
{
  pthread_t thread;
  bool good;
  (void)state;
  if (!gdb_can_call())
    skip();
  assert_int_equal(pthread_create(&thread, NULL, attach, &good), 0);
  wait_until_attached();
  expected = (struct expected){.allocs = 0};
  check();
  tell_to_allocate(100, 24);
  check();
  tell_to_free(70, 24);
  check();
  pthread_kill(thread, SIGINT);
  pthread_join(thread, NULL);
  assert_true(good);
  check_refused("cannot query the program: it is no longer profiled");
}

int
main(int argc, char **argv)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(test_figures, set_up, tear_down),
      cmocka_unit_test_setup_teardown(test_file, set_up, tear_down),
      cmocka_unit_test_setup_teardown(test_generation, set_up, tear_down),
      cmocka_unit_test_setup_teardown(test_busy, set_up, tear_down),
      cmocka_unit_test_setup_teardown(test_closed_and_locked, set_up,
                                      tear_down),
      cmocka_unit_test_setup_teardown(test_attached, set_up_bare, tear_down),
  };
  return asked_main(argc, argv, "control", tests,
                    sizeof tests / sizeof *tests);
}
