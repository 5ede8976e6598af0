/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * test_monitor_snapshot.c -- figures as an image in memory: all of it, or
 * nothing when any request for memory fails.
 */

#include "testing.h"

#include "common/image_format.h"
#include "image/image.h"
#include "lisp/snapshot/snapshot.h"
#include "lisp/threads/threads.h"
#include "mprof.h"

#include <sys/syscall.h>

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
static char name[] = "main";
static struct thread_state thread = {.name = name};
static struct context_tree *const tree = &thread.tree;

static uint32_t
function_of(uint64_t site, uint32_t caller)
{
  (void)caller, (void)site;
  return 0;
}

static int
make_figures(void **state)
{
  uint32_t up = CONTEXT_ROOT, random = 1;
  (void)state;
  if (context_tree_init(tree, 1 << 12, false, function_of, NULL) != 0)
    return -1;
  context_tree_map(tree);
  for (uint32_t i = 0; i < SAMPLES; i++) {
    const uint64_t site =
        SITE_SPECIAL |
        (random >> 20 & 1 ? SITE_SIGNAL_HANDLER : SITE_FINALIZERS);
    struct leaf *leaf;
    random = random * 1664525 + 1013904223;
    up =
        context_tree_child(tree, random >> 28 == 0 ? CONTEXT_ROOT : up, site);
    leaf = context_tree_find_leaf(
        tree, up, site,
        context_tree_kind_number(
            tree, &(struct kind){.what = i % KINDS, .size = BYTES}));
    leaf->count++;
    leaf->bytes += BYTES;
    leaf->activations++;
    thread.count++;
    thread.bytes += BYTES;
  }
  monitor.threads = &thread;
  return 0;
}

static int
release_figures(void **state)
{
  (void)state;
  context_tree_release(tree);
  return 0;
}

/* ---- the image ---- */

static struct snapshot
take(void)
{
  struct snapshot snapshot = {.balanced = true};
  requests.made = 0;
  if (snapshot_reserve(&snapshot) && snapshot_take(&snapshot) &&
      snapshot_complete(&snapshot, NULL))
    return snapshot;
  snapshot_release(&snapshot);
  return snapshot;
}

/* What the command says of an image; the caller frees it. */
static void *
report(const struct snapshot *snapshot)
{
  void *const profile = mprof_profile_open_octets(snapshot->contents.base,
                                                  snapshot->length, NULL);
  void *const result =
      mprof_profile_command(profile, NULL, "report", NULL, 0);
  mprof_profile_close(profile);
  return result;
}

static void
check_complete(const struct snapshot *snapshot)
{
  char expected[64];
  void *const result = report(snapshot);
  snprintf(expected, sizeof expected, "%d allocations, %d bytes", SAMPLES,
           SAMPLES * BYTES);
  assert_string_equal(mprof_result_error(result), "");
  assert_non_null(strstr(mprof_result_output(result), expected));
  mprof_result_free(result);
}

TEST(whole)
{
  struct snapshot snapshot = take();
  check_complete(&snapshot);
  snapshot_release(&snapshot);
}

/* Where the collector's sum is in doubt, it can have become smaller. */
TEST(less_than_nothing)
{
  struct snapshot snapshot;
  monitor.collector.bytes = (uint64_t)-640;
  monitor.collector.doubts = BALANCE_PAGE;
  snapshot = take();
  check_complete(&snapshot);
  snapshot_release(&snapshot);
  monitor.collector.bytes = monitor.collector.doubts = 0;
}

TEST(every_request_for_memory)
{
  struct snapshot snapshot = take();
  const unsigned made = requests.made;
  snapshot_release(&snapshot);
  assert_true(made > 1);
  for (unsigned n = 1; n <= made; n++) {
    requests.fails = n;
    snapshot = take();
    requests.fails = 0;
    assert_null(snapshot.contents.base);
    assert_int_equal(snapshot.length, 0);
  }
  snapshot = take();
  check_complete(&snapshot);
  snapshot_release(&snapshot);
}

RUN_TESTS(make_figures, release_figures)
