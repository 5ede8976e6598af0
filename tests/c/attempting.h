/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * attempting.h -- tests of functions that allocate in a pool, or that fail:
 * RUN_TESTS_IN_ATTEMPT takes the place of RUN_TESTS.
 */
#pragma once

#include "testing.h"

#include "base/pool.h"
#include "mprof.h"

struct group {
  CMFixtureFunction begin, end;
  int failed;
};

static inline void
run_group(void *closure)
{
  struct group *group = closure;
  group->failed = run_all_tests(group->begin, group->end);
}

/* Runs all tests in one attempt; returns the exit status. */
static inline int
run_in_attempt(CMFixtureFunction begin, CMFixtureFunction end)
{
  struct group group = {begin, end, 0};
  struct pool pool = {NULL, NULL};
  struct mprof_error error;
  if (!attempt(&pool, run_group, &group, &error))
    print_error("a test was left by a failure: %s\n", error.message);
  pool_release(&pool);
  return error.code != MPROF_OK || group.failed != 0;
}

#define RUN_TESTS_IN_ATTEMPT(begin, end)                                     \
  int main(void)                                                             \
  {                                                                          \
    return run_in_attempt(begin, end);                                       \
  }

/* Runs the command line ARGUMENTS.  *OUTPUT and *ERROR, each of which may be
 * NULL, become what it says, in the pool in use. */
static inline int
mprof_command(const char *arguments, char **output, char **error)
{
  void *result = mprof_run_command(arguments);
  const int status = mprof_result_status(result);
  if (output != NULL)
    *output = pool_text(mprof_result_output(result));
  if (error != NULL)
    *error = pool_text(mprof_result_error(result));
  mprof_result_free(result);
  return status;
}
