/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* A program is asked that forks, becomes another one, gives up rights, is
 * stopped, or ends.
 */

#include "asked_fixture.h"

#include "command/debugger.h"

static void
test_fork(void **state)
{
  pid_t child;
  (void)state;
  tell_to_allocate(10, 24);
  order(FORK, 100, 1000);
  child = (pid_t)await_answer();
  check();
  tell_to_allocate(10, 24);
  check();
  kill(program, SIGKILL);
  waitpid(program, NULL, 0);
  check_refused("cannot query the program: it has ended");
  kill(child, SIGKILL);
}

static void
test_exec(void **state)
{
  struct profile profile;
  (void)state;
  tell_to_allocate(1000, 24);
  tell(EXEC);
  read_profile(&profile);
  assert_true(profile.total[MEASURE_ALLOCS] < 1000);
  reset();
  tell_to_allocate(10, 24);
  check();
  tell(EXEC_BARE);
  check_refused("cannot query the program: it is no longer profiled");
}

static void
test_rights(void **state)
{
  (void)state;
  if (geteuid() == 0)
    assert_int_equal(tell(LOSE_RIGHTS), 0);
  tell_to_allocate(10, 24);
  check();
}

static void
test_alone(void **state)
{
  int64_t asked;
  (void)state;
  asked = tell(UNSHARE);
  tell_to_allocate(10, 24);
  check();
  end_program();
  start(false);
  assert_int_equal(tell(UNSHARE), asked);
}

static void
test_filter(void **state)
{
  (void)state;
  const int64_t error = tell(FILTER);
  if (error == EINVAL) /* QEMU's emulator of processes has none */
    skip();
  assert_int_equal(error, 0);
  tell_to_allocate(10, 24);
  check();
}

static void
test_stopped(void **state)
{
  (void)state;
  tell_to_allocate(10, 24);
  order(STOP, 0, 0);
  while (process_state((size_t)program) != 'T')
    sched_yield();
  check();
  kill(program, SIGCONT);
  await_answer();
  tell_to_allocate(3, 7);
  check();
}

static void
test_end(void **state)
{
  struct profile profile;
  (void)state;
  tell_to_allocate(10, 24);
  order(END, 0, 0);
  waitpid(program, NULL, 0);
  check_refused("cannot query the program: it has ended");
  control_program_ended(&control);
  for (int i = 0; i < 2; i++) {
    read_profile(&profile);
    check_profile(&profile);
  }
}

/* The process ends with its last thread, which is not the one that answers.
 */
static void
test_left(void **state)
{
  int status;
  (void)state;
  order(LEAVE, 0, 0);
  waitpid(program, &status, 0);
  assert_int_equal(status, 0);
  check_refused("cannot query the program: it has ended");
}

int
main(int argc, char **argv)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(test_fork, set_up, tear_down),
      cmocka_unit_test_setup_teardown(test_exec, set_up, tear_down),
      cmocka_unit_test_setup_teardown(test_rights, set_up, tear_down),
      cmocka_unit_test_setup_teardown(test_alone, set_up, tear_down),
      cmocka_unit_test_setup_teardown(test_filter, set_up, tear_down),
      cmocka_unit_test_setup_teardown(test_stopped, set_up, tear_down),
      cmocka_unit_test_setup_teardown(test_end, set_up, tear_down),
      cmocka_unit_test_setup_teardown(test_left, set_up, tear_down),
  };
  return asked_main(argc, argv, "control", tests,
                    sizeof tests / sizeof *tests);
}
