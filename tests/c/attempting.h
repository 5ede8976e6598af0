/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * attempting.h -- tests of functions that allocate in a pool, or that fail.
 */
#pragma once

#include "base/pool.h"

struct group {
  const char *name;
  const struct CMUnitTest *tests;
  size_t count;
  CMFixtureFunction begin, end;
  int failed;
};

static inline void
run_group(void *closure)
{
  struct group *group = closure;
  group->failed = _cmocka_run_group_tests(group->name, group->tests,
                                          group->count, group->begin,
                                          group->end);
}

/* Runs the tests in one attempt. */
static inline int
run_in_attempt(struct group group)
{
  struct pool pool = {NULL, NULL};
  struct mprof_error error;
  if (!attempt(&pool, run_group, &group, &error))
    print_error("a test was left by a failure: %s\n", error.message);
  pool_release(&pool);
  return error.code != MPROF_OK || group.failed != 0;
}

/* Does FUNCTION with CLOSURE, which fails and says WHY. */
static inline void
assert_fails(attempt_function *function, void *closure, const char *why)
{
  struct mprof_error error;
  assert_false(attempt(pool_in_use(), function, closure, &error));
  assert_string_equal(error.message, why);
}

#define RUN_IN_ATTEMPT(tests, begin, end)                                    \
  run_in_attempt((struct group){#tests, tests,                               \
                                sizeof(tests) / sizeof *(tests), begin, end, \
                                0})
