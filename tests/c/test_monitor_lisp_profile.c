/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * test_monitor_lisp_profile.c -- writing a profile: all of it, or nothing
 * when anything fails, be it the n-th write or the n-th request for memory.
 * The profile of C programs goes the same way, but that it may look for a
 * name of its own (test_new_name.c).
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "mprof.h"
#include "threads/threads.h"
#include "write/lisp_profile.h"
#include "write/quiet.h"

#include "failing_calls.h"

#include <sys/mman.h>
#include <sys/resource.h>

enum { SAMPLES = 1000, KINDS = 30, BYTES = 24 };

/* Which request for memory fails, counted from 1 (0: none). */
static struct {
  unsigned fails, made;
} requests;

static bool
request_fails(void)
{
  errno = ENOMEM;
  return ++requests.made == requests.fails;
}

void *
mmap(void *address, size_t length, int protection, int flags, int descriptor,
     off_t offset)
{
  if (request_fails())
    return MAP_FAILED;
  return (void *)syscall(SYS_mmap, address, length, protection, flags,
                         descriptor, offset);
}

void *
mremap(void *address, size_t length, size_t longer, int flags, ...)
{
  if (request_fails())
    return MAP_FAILED;
  return (void *)syscall(SYS_mremap, address, length, longer, flags);
}

/* ---- figures ---- */

/* Of calls by functions that need no code: the handler of a signal, and
 * finalizers. */
static char label[] = "main";
static struct thread_state thread = { .label = label };
static struct context_tree *const tree = &thread.tree;

static uint32_t
function_of(void *closure, uint64_t site, uint32_t caller)
{
  (void)closure, (void)caller, (void)site;
  return 0;
}

static int
make_figures(void **state)
{
  uint32_t up = CONTEXT_ROOT, random = 1;
  if (make_folder(state) != 0 ||
      context_tree_init(tree, 1 << 12, false, function_of, NULL, NULL) != 0)
    return -1;
  for (uint32_t i = 0; i < SAMPLES; i++) {
    const uint64_t site =
        SITE_SPECIAL |
        (random >> 20 & 1 ? SITE_SIGNAL_HANDLER : SITE_FINALIZERS);
    struct leaf *leaf;
    random = random * 1664525 + 1013904223;
    up = context_tree_child(tree, random >> 28 == 0 ? CONTEXT_ROOT : up,
                            site);
    leaf = context_tree_leaf(tree, up, site, i % KINDS, BYTES, 0);
    leaf->count++;
    leaf->bytes += BYTES;
    leaf->activations++;
    thread.count++;
    thread.bytes += BYTES;
  }
  monitor.threads = &thread;
  monitor.runtime_version = "0";
  return 0;
}

static int
release_figures(void **state)
{
  context_tree_release(tree);
  return remove_folder(state);
}

/* ---- the whole profile ---- */

static void
put(struct gzip_file *file)
{
  struct lisp_figures figures = {.balanced = true};
  if (lisp_figures_reserve(&figures) && lisp_figures_take(&figures))
    lisp_profile_put(file, &figures, false);
  else
    gzip_file_fail(file, ENOMEM);
  lisp_figures_release(&figures);
}

static int
save_in(const char *file_path)
{
  struct gzip_file file = {.always = true};
  char temporary[128];
  snprintf(temporary, sizeof temporary, "%s.tmp", file_path);
  gzip_file_open(&file, file_path, temporary);
  put(&file);
  gzip_file_close(&file);
  return file.failed;
}

static int
save(void)
{
  plan.writes = plan.fsyncs = requests.made = 0;
  return save_in(path);
}

/* In memory; the file says how that went. */
static struct gzip_file
keep(void)
{
  struct gzip_file file = {.always = true};
  gzip_file_open_in_memory(&file);
  put(&file);
  gzip_file_close(&file);
  return file;
}

/* The file is a profile of all the figures, and there is no other file. */
static void
check_complete(void)
{
  char arguments[128], expected[64];
  char *output, *message;
  snprintf(arguments, sizeof arguments, "report\n%s", path);
  snprintf(expected, sizeof expected, "%d allocations, %d bytes", SAMPLES,
           SAMPLES * BYTES);
  assert_int_equal(mprof_command(arguments, &output, &message), 0);
  assert_non_null(strstr(output, expected));
  mprof_string_free(output);
  mprof_string_free(message);
  assert_int_equal(count_files(), 1);
}

/* Writing has to fail so, and leaves what was there. */
static void
check_failure(int error)
{
  char content[65536];
  put_old_file();
  assert_int_equal(save(), error);
  assert_int_equal(file_content(content), 3);
  assert_string_equal(content, "old");
  assert_int_equal(count_files(), 1);
  assert_int_equal(unlink(path), 0);
  assert_int_equal(save(), error);
  assert_int_equal(count_files(), 0);
}

static void
every_write(void **state)
{
  (void)state;
  assert_int_equal(save(), 0);
  assert_int_equal(plan.fsyncs, 1);
  check_complete();
  const unsigned writes = plan.writes;
  assert_true(writes > 20);
  for (unsigned n = 1; n <= writes; n++) {
    plan.write = n;
    plan.error = ENOSPC;
    check_failure(ENOSPC);
    assert_int_equal(plan.writes, n); /* the error sticks */
    plan.error = EINTR; /* no failure: the write is made again */
    assert_int_equal(save(), 0);
    plan.write = 0;
    check_complete();
  }
}

/* Where the collector's sum is in doubt, it can have become smaller. */
static void
less_than_nothing(void **state)
{
  (void)state;
  monitor.collector.bytes = (uint64_t)-640;
  monitor.collector.doubts = BALANCE_PAGE;
  assert_int_equal(save(), 0);
  check_complete();
  monitor.collector.bytes = monitor.collector.doubts = 0;
}

static void
steps_after_the_writes(void **state)
{
  (void)state;
  plan.fsync = 1;
  plan.error = EIO;
  check_failure(EIO);
  plan.error = EINTR; /* again */
  assert_int_equal(save(), 0);
  assert_int_equal(plan.fsyncs, 2);
  plan.error = EINVAL; /* not on this file system */
  assert_int_equal(save(), 0);
  plan.fsync = 0;
  check_complete();
  plan.rename = 1;
  plan.error = EACCES;
  check_failure(EACCES);
  plan.rename = 0;
}

static void
every_request_for_memory(void **state)
{
  (void)state;
  assert_int_equal(save(), 0);
  const unsigned made = requests.made;
  assert_true(made > 5);
  for (unsigned n = 1; n <= made; n++) {
    requests.fails = n;
    check_failure(ENOMEM);
  }
  requests.fails = 0;
  assert_int_equal(save(), 0);
  check_complete();
}

/* In memory it is the same profile, without any file, or nothing. */
static void
in_memory(void **state)
{
  char arguments[128];
  struct gzip_file kept_file;
  (void)state;
  assert_int_equal(save(), 0);
  snprintf(arguments, sizeof arguments, "report\n%s", path);
  void *saved = mprof_run_command(arguments);
  assert_int_equal(unlink(path), 0);
  plan.writes = requests.made = 0;
  kept_file = keep();
  assert_int_equal(kept_file.failed, 0);
  const unsigned made = requests.made;
  assert_int_equal(plan.writes, 0);
  assert_int_equal(count_files(), 0);
  void *profile = mprof_profile_open_octets(kept_file.contents.base,
                                            kept_file.length);
  arena_release(&kept_file.contents);
  void *kept = mprof_profile_command(profile, "report", NULL, 0);
  assert_int_equal(mprof_result_status(kept), 0);
  assert_string_equal(mprof_result_output(kept), mprof_result_output(saved));
  mprof_result_free(kept);
  mprof_result_free(saved);
  mprof_profile_close(profile);
  for (unsigned n = 1; n <= made; n++) {
    requests.made = 0;
    requests.fails = n;
    kept_file = keep();
    assert_int_equal(kept_file.failed, ENOMEM);
    assert_null(kept_file.contents.base);
  }
  requests.fails = 0;
}

static void
what_cannot_be_opened(void **state)
{
  (void)state;
  assert_int_equal(save_in("/no/such/file"), ENOENT);
  assert_int_equal(save_in("/dev/full"), ENOSPC);
  assert_int_equal(access("/dev/full", W_OK), 0);
}

/* No signal comes of it, and the soft limit can be set back. */
static void
what_must_not_be_as_large(void **state)
{
  struct rlimit limit;
  struct quiet quiet;
  (void)state;
  put_old_file();
  assert_int_equal(getrlimit(RLIMIT_FSIZE, &limit), 0);
  const rlim_t before = limit.rlim_cur;
  limit.rlim_cur = 100;
  assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
  quiet_begin(&quiet, false);
  const int error = save_in(path);
  quiet_end(&quiet);
  limit.rlim_cur = before;
  assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
  assert_int_equal(error, EFBIG);
  assert_int_equal(count_files(), 1);
}

int
main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(every_write),
    cmocka_unit_test(less_than_nothing),
    cmocka_unit_test(steps_after_the_writes),
    cmocka_unit_test(every_request_for_memory),
    cmocka_unit_test(in_memory),
    cmocka_unit_test(what_cannot_be_opened),
    cmocka_unit_test(what_must_not_be_as_large),
  };
  return cmocka_run_group_tests_name("Lisp profile", tests, make_figures,
                                     release_figures);
}
