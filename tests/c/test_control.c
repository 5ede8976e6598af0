/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* A program is asked for its figures while it runs: they are what it has been
 * told to allocate, to the object.  This program is that one, too: as a
 * process of its own, with the monitor preloaded.
 */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "asked_program.h"
#include "command/control.h"
#include "command/debugger.h"
#include "command/load.h"

#include <fcntl.h>
#include <glob.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>

static char folder[] = "/tmp/mprof-test-XXXXXX";
static char scratch[sizeof folder + 8];

enum { SOON = 100, LONG = 60000 }; /* milliseconds */

/* What it has been told, since its figures began. */
struct expected {
  uint64_t allocs, bytes, kept, kept_bytes, peak_bytes;
};

static struct control control;
static struct expected expected;
static pid_t program;
static int orders, answers;

/* ---- the program ---- */

static int64_t
await_answer(void)
{
  int64_t answer;
  assert_int_equal(read(answers, &answer, sizeof answer), sizeof answer);
  return answer;
}

static void
order(enum deed deed, uint32_t count, uint64_t bytes)
{
  const struct order o = {.deed = deed, .count = count, .bytes = bytes};
  assert_int_equal(write(orders, &o, sizeof o), sizeof o);
}

static int64_t
tell(enum deed deed)
{
  order(deed, 0, 0);
  return await_answer();
}

static void
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
static void
tell_to_free(uint32_t count, uint64_t bytes)
{
  order(FREE, count, 0);
  await_answer();
  expected.kept -= count;
  expected.kept_bytes -= count * bytes;
}

static void
exec_program(int in, int out, const char *path)
{
  char library[4096], process[16];
  dup2(in, ORDERS);
  dup2(out, ANSWERS);
  snprintf(library, sizeof library, "%s/libmprof-malloc.so",
           getenv("MPROF_LIB"));
  snprintf(process, sizeof process, "%010u", (unsigned)getpid());
  setenv("LD_PRELOAD", library, true);
  setenv("MPROF_ROOT_PID", process, true);
  setenv("MPROF_OUT", scratch, true);
  if (path != NULL)
    setenv("MPROF_CONTROL", path, true);
  become_program(false);
  _exit(127);
}

/* Starts it, to be asked unless PATH is NULL. */
static void
start_program(const char *path)
{
  int in[2], out[2];
  assert_int_equal(pipe2(in, O_CLOEXEC) | pipe2(out, O_CLOEXEC), 0);
  program = fork();
  if (program == 0)
    exec_program(in[0], out[1], path);
  close(in[0]);
  close(out[1]);
  orders = in[1];
  answers = out[0];
  await_answer();
}

static void
end_program(void)
{
  close(orders);
  close(answers);
  kill(program, SIGKILL);
  waitpid(program, NULL, 0);
}

/* ---- asking ---- */

static struct control_figures
ask(enum control_request request)
{
  struct control_figures figures;
  struct mprof_error error;
  mprof_error_clear(&error);
  if (!control_ask(&control, request, LONG, &figures, &error))
    fail_msg("%s", error.message);
  return figures;
}

static void
reset(void)
{
  ask(CONTROL_RESET);
  expected = (struct expected){.allocs = 0};
}

/* Neither figures nor a snapshot are to be had, as the error says. */
static void
check_refused(unsigned milliseconds, const char *why)
{
  struct control_figures figures;
  struct profile profile;
  struct mprof_error error;
  mprof_error_clear(&error);
  assert_false(control_ask(&control, CONTROL_RESET, milliseconds, &figures,
                           &error));
  assert_string_equal(error.message, why);
  mprof_error_clear(&error);
  assert_false(control_snapshot(&control, false, milliseconds, &profile,
                                &error));
  assert_string_equal(error.message, why);
  profile_release(&profile);
}

static void
read_profile(struct profile *profile)
{
  struct mprof_error error;
  mprof_error_clear(&error);
  if (!control_snapshot(&control, false, LONG, profile, &error))
    fail_msg("%s", error.message);
}

static bool
has_function(const struct profile *profile, const char *name)
{
  for (size_t i = 0; i < profile->function_count; i++)
    if (strcmp(names_text(&profile->names, profile->functions[i].name),
               name) == 0)
      return true;
  return false;
}

static void
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

static void
check_figures(const struct control_figures *f)
{
  assert_int_equal(f->allocations, expected.allocs);
  assert_int_equal(f->bytes, expected.bytes);
  assert_int_equal(f->live_objects, expected.kept);
  assert_int_equal(f->live_bytes, expected.kept_bytes);
  assert_int_equal(f->peak_bytes, expected.peak_bytes);
  assert_int_equal(f->overflows, 0);
  assert_int_equal(f->lost, 0);
}

/* Both say what is expected. */
static void
check(void)
{
  struct profile profile;
  const struct control_figures figures = ask(CONTROL_STATUS);
  check_figures(&figures);
  read_profile(&profile);
  check_profile(&profile);
  profile_release(&profile);
}

/* ---- set-up ---- */

static int
set_up(void **state)
{
  struct mprof_error error;
  (void)state;
  mprof_error_clear(&error);
  if (!control_open(&control, &error))
    return -1;
  start_program(control.path);
  reset();
  return 0;
}

static int
tear_down(void **state)
{
  (void)state;
  end_program();
  control_close(&control);
  return 0;
}

static int
make_folder(void **state)
{
  (void)state;
  return mkdtemp(folder) != NULL &&
                 stpcpy(stpcpy(scratch, folder), "/p.data") != NULL
             ? 0
             : -1;
}

/* Processes have files of their own there. */
static int
remove_folder(void **state)
{
  char pattern[sizeof folder + 8];
  glob_t files;
  (void)state;
  snprintf(pattern, sizeof pattern, "%s/*", folder);
  if (glob(pattern, 0, NULL, &files) == 0) {
    for (size_t i = 0; i < files.gl_pathc; i++)
      unlink(files.gl_pathv[i]);
    globfree(&files);
  }
  return rmdir(folder);
}

/* ---- tests ---- */

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

/* What the program writes is the same, in all columns of all samples. */
static void
test_file(void **state)
{
  struct profile now, then;
  struct mprof_error error;
  const char *name = scratch;
  (void)state;
  tell_to_allocate(100, 24);
  tell_to_free(70, 24);
  tell_to_allocate(3, 1 << 20);
  read_profile(&now);
  assert_int_equal(tell(SAVE), 0);
  mprof_error_clear(&error);
  assert_true(profile_load(&then, &name, 1, HEAP_BOTH, NULL, &error));
  check_profile(&then);
  assert_int_equal(now.column_count, then.column_count);
  assert_int_equal(now.sample_count, then.sample_count);
  assert_memory_equal(now.values, then.values,
                      now.sample_count * now.column_count *
                          sizeof *now.values);
  assert_int_equal(now.function_count, then.function_count);
  profile_release(&now);
  profile_release(&then);
}

static void
test_off_and_on(void **state)
{
  struct control_figures first, off, on, again;
  (void)state;
  tell_to_allocate(10, 24);
  first = ask(CONTROL_STATUS);
  assert_true(first.counting);
  off = ask(CONTROL_STOP);
  assert_false(off.counting);
  assert_true(off.counting_since > first.counting_since);
  assert_int_equal(off.figures_since, first.figures_since);
  order(ALLOCATE, 5, 100);
  await_answer();
  tell_to_free(4, 24);
  check();
  on = ask(CONTROL_START);
  assert_true(on.counting);
  assert_true(on.counting_since > off.counting_since);
  tell_to_allocate(6, 24);
  check();
  reset();
  again = ask(CONTROL_STATUS);
  assert_true(again.figures_since > first.figures_since);
  assert_int_equal(again.counting_since, on.counting_since);
  check();
  tell_to_allocate(7, 24);
  check();
}

/* The thread does not stop for it; what it has made in the end is counted. */
static void
test_busy(void **state)
{
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
    assert_true(profile.total[MEASURE_KEPT_ALLOCS] <= 64);
    assert_true(profile.total[MEASURE_ALLOCS] >=
                profile.total[MEASURE_KEPT_ALLOCS]);
    before = profile.total[MEASURE_ALLOCS];
    profile_release(&profile);
  }
  made = tell(REST);
  assert_int_equal(ask(CONTROL_STATUS).allocations, made);
  assert_int_equal(ask(CONTROL_STATUS).live_objects, made < 64 ? made : 64);
}

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
  check_refused(LONG, "cannot ask the program: it has ended");
  kill(child, SIGKILL);
}

static void
test_exec(void **state)
{
  (void)state;
  tell_to_allocate(1000, 24);
  tell(EXEC);
  assert_true(ask(CONTROL_STATUS).allocations < 1000);
  reset();
  tell_to_allocate(10, 24);
  check();
  tell(EXEC_BARE);
  check_refused(LONG, "cannot ask the program: it has become another "
                      "program, which is not profiled");
}

static void
test_closed_and_locked(void **state)
{
  struct stat file;
  (void)state;
  assert_int_equal(tell(CLOSE_ALL), 0);
  assert_int_equal(tell(LOCK_MEMORY), 0);
  tell_to_allocate(10, 24);
  check();
  assert_int_equal(fstat(control.file, &file), 0);
  assert_int_equal(file.st_blocks * 512, CONTROL_PAGE_BYTES);
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

/* It may do what one may that nobody asks. */
static void
test_alone(void **state)
{
  int64_t asked;
  (void)state;
  asked = tell(UNSHARE);
  tell_to_allocate(10, 24);
  check();
  end_program();
  start_program(NULL);
  assert_int_equal(tell(UNSHARE), asked);
}

static void
test_filter(void **state)
{
  (void)state;
  assert_int_equal(tell(FILTER), 0);
  check_refused(LONG,
                "cannot ask the program: it has limited its system calls");
  tell_to_allocate(10, 24);
}

/* What it was asked in vain it does not do later. */
static void
test_stopped(void **state)
{
  (void)state;
  tell_to_allocate(10, 24);
  order(STOP, 0, 0);
  while (process_state((size_t)program) != 'T')
    sched_yield();
  for (int i = 0; i < 3; i++)
    check_refused(SOON,
                  "cannot ask the program: it does not answer; is it stopped?");
  kill(program, SIGCONT);
  await_answer();
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
  check_refused(LONG, "cannot ask the program: it has ended");
  control_program_ended(&control, scratch);
  for (int i = 0; i < 2; i++) {
    read_profile(&profile);
    check_profile(&profile);
    profile_release(&profile);
  }
}

int
main(int argc, char **argv)
{
  const struct CMUnitTest tests[] = {
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
      TEST(test_figures), TEST(test_file),    TEST(test_off_and_on),
      TEST(test_busy),    TEST(test_fork),    TEST(test_exec),
      TEST(test_rights),  TEST(test_alone),   TEST(test_closed_and_locked),
      TEST(test_filter),  TEST(test_stopped), TEST(test_end),
  };
  if (argc > 1 && strcmp(argv[1], "program") == 0)
    return asked_program();
  return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
