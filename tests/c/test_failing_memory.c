/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Memory that runs out: each command is run again and again, and each time
 * another allocation fails, the first, the second and so on, alone or with all
 * that follow.  It ends with an error and status 1, crashes nowhere, and, as
 * the address sanitizer sees, loses nothing.
 *
 * The linker lets this file stand in front of malloc and its kin for all calls
 * from mprof's own code.
 */

#include "testing.h"

#include "mprof.h"
#include "scratch_file.h"

static struct {
  unsigned long calls; /* so far */
  unsigned long fails; /* which one fails, from 1; 0: none */
  bool others;         /* and all after it */
} plan;

static bool
fails(void)
{
  plan.calls++;
  if (plan.fails == 0 || (plan.others ? plan.calls < plan.fails
                                      : plan.calls != plan.fails))
    return false;
  errno = ENOMEM;
  return true;
}

#define WRAP(type, name, parameters, ...)                                    \
  type __real_##name parameters;                                             \
  type __wrap_##name parameters;                                             \
  type __wrap_##name parameters                                              \
  {                                                                          \
    return fails() ? NULL : __real_##name(__VA_ARGS__);                      \
  }
WRAP(void *, malloc, (size_t size), size)
WRAP(void *, calloc, (size_t count, size_t size), count, size)
WRAP(void *, realloc, (void *block, size_t size), block, size)
WRAP(char *, strdup, (const char *text), text)
WRAP(char *, strndup, (const char *text, size_t length), text, length)

/* Runs ARGUMENTS with the failures of the plan. */
static void
run_failing(const char *arguments)
{
  plan.calls = 0;
  void *result = mprof_run_command(arguments);
  unsigned long failed = plan.fails;
  plan.fails = 0;
  const char *error = mprof_result_error(result);
  if (mprof_result_status(result) != 1 ||
      (strstr(error, "out of memory") == NULL &&
       strstr(error, "Cannot allocate memory") == NULL))
    fail_msg("allocation %lu of '%s': status %d, %s", failed, arguments,
             mprof_result_status(result), error);
  mprof_result_free(result);
}

static void
try_all(const char *arguments)
{
  plan.fails = 0;
  plan.calls = 0;
  void *result = mprof_run_command(arguments);
  unsigned long count = plan.calls;
  if (mprof_result_status(result) != 0)
    fail_msg("%s", mprof_result_error(result));
  mprof_result_free(result);
  assert_true(count > 100);
  for (int others = 0; others < 2; others++)
    for (unsigned long n = 1; n <= count; n++) {
      if (left_out())
        continue;
      plan.fails = n;
      plan.others = others != 0;
      run_failing(arguments);
    }
}

#define LISP "tests/golden/recursion.data"
#define C "tests/golden/regions.data"

TEST(reports)
{
  try_all("diff\n-verbose\n" LISP "\n" LISP);
  try_all("report\n-verbose\n" LISP);
  try_all("report\n-verbose\n--system=show\n" C);
  try_all("report\n--by=package\n--focus=F\n--hide=G\n" LISP);
  try_all("report\n--tables=direct\n" LISP "\n" LISP);
  try_all("advise\n--rules=reduce/advice/rules.txt\n"
          "tests/golden/phases.data");
}

TEST(exports)
{
  static const char *const formats[] = {
      "folded", "html", "lisp",       "lisp\n--tables=contexts", "pprof",
      "callgrind", "dot", "json", "speedscope", "csv"};
  for (size_t i = 0; i < sizeof formats / sizeof formats[0]; i++) {
    char arguments[128];
    snprintf(arguments, sizeof arguments, "export\n--format=%s\n%s",
             formats[i], LISP);
    try_all(arguments);
  }
  try_all("flamegraph\n" LISP);
}

TEST(merges)
{
  char arguments[256];
  snprintf(arguments, sizeof arguments, "merge\n-o\n%s\n%s\n%s", scratch, C,
           C);
  try_all(arguments);
}

RUN_TESTS(make_scratch, remove_scratch)
