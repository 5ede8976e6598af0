/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Whole reports of profiles made by hand, compared byte for byte with
 * tests/golden/NAME.txt, and the profiles themselves with NAME.data, which
 * the tests of the command use.  With MPROF_UPDATE_GOLDEN=1 in the
 * environment the files are written instead; look at the difference then.
 *
 * Where the figures come from: test_call_graph.c, test_selection.c,
 * test_unknown_calls.c, test_cycles.c and test_group_graph.c state them as
 * they were worked out by hand; the command's test graph.sh computes those of
 * all call graphs again, from the chains.
 */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "attempting.h"
#include "base/input_file.h"
#include "example_profiles.h"
#include "live_profiles.h"
#include "command_output.h"

struct golden {
  const char *name;
  const char *data; /* name of the profile */
  struct builder *(*make)(void);
  const char *arguments; /* the file's name is appended */
};

/* Whose figures test_cycles.c works out. */
#define CYCLE_TABLES "report\n-verbose\n--no-legend\n--tables=direct,graph\n"

static const struct golden goldens[] = {
    {"widgets", "widgets", example_widgets, "report\n"},
    {"widgets-c", "widgets-c", example_widgets_c, "report\n-verbose\n"},
    {"recursion", "recursion", example_recursion, "report\n"},
    {"recursion-hide", "recursion", example_recursion,
     CYCLE_TABLES "--hide=^G$\n"},
    {"recursion-focus", "recursion", example_recursion,
     CYCLE_TABLES "--focus=^G$\n"},
    {"self-recursion", "self-recursion", example_self_recursion,
     CYCLE_TABLES},
    {"nested-cycles", "nested-cycles", example_nested_cycles, CYCLE_TABLES},
    {"rootless-cycle", "rootless-cycle", example_rootless_cycle,
     CYCLE_TABLES},
    {"two-cycles-hide", "two-cycles", example_two_cycles,
     CYCLE_TABLES "--hide=^B$\n"},
    {"two-cycles-focus", "two-cycles", example_two_cycles,
     CYCLE_TABLES "--focus=^C$\n"},
    {"two-cycles", "two-cycles", example_two_cycles, "report\n--no-legend\n"},
    {"two-cycles-few", "two-cycles", example_two_cycles,
     "report\n--no-legend\n--tables=graph\n--min-percent=88\n"},
    {"mixture", "mixture", example_mixture, "report\n--min-percent=12\n"},
    {"mixture-runtime", "mixture", example_mixture,
     "report\n--show-runtime\n-verbose\n--no-legend\n"},
    {"mixture-pairs", "mixture", example_mixture,
     "report\n--tables=type-functions\n--sort=allocs\n"
     "--min-percent=40\n"},
    {"session", "session", example_session, "report\n--no-legend\n"},
    {"session-root", "session", example_session,
     "report\n--show-root\n--no-legend\n"},
    {"session-folded", "session", example_session,
     "export\n--format=folded\n"},
    {"mixture-folded", "mixture", example_mixture,
     "export\n--format=folded\n--frames=types\n"},
    {"phases", "phases", example_phases, "report\n--tables=phases,threads\n"},
    {"phases-of-worker", "phases", example_phases,
     "report\n--phase=run,load\n--thread=^worker$\n--no-legend\n"},
    {"phases-folded", "phases", example_phases,
     "export\n--format=folded\n--frames=phases,threads\n--value=allocs\n"},
    {"phases-lisp", "phases", example_phases,
     "export\n--format=lisp\n--phase=compile,eval\n"},
    {"unknown-calls", "unknown-calls", example_unknown_calls,
     "report\n-verbose\n--tables=direct,graph\n"},
    {"unknown-calls-sorted", "unknown-calls", example_unknown_calls,
     "report\n-verbose\n--tables=direct,graph\n--sort=calls\n"
     "--show-runtime\n--no-legend\n"},
    {"unknown-calls-by-package", "unknown-calls", example_unknown_calls,
     "report\n--tables=direct\n--by=package\n"},
    {"unknown-calls-csv", "unknown-calls", example_unknown_calls,
     "export\n--format=csv\n"},
    {"unknown-calls-csv-arcs", "unknown-calls", example_unknown_calls,
     "export\n--format=csv\n--table=arcs\n"},
    {"unknown-calls-csv-contexts", "unknown-calls", example_unknown_calls,
     "export\n--format=csv\n--table=contexts\n"},
    {"unknown-calls-lisp", "unknown-calls", example_unknown_calls,
     "export\n--format=lisp\n"},
    {"unknown-calls-contexts", "unknown-calls", example_unknown_calls,
     "export\n--format=lisp-contexts\n"},
    {"unknown-calls-dot", "unknown-calls", example_unknown_calls,
     "export\n--format=dot\n"},
    {"unknown-calls-diff", "unknown-calls", example_unknown_calls,
     "diff\n-verbose\n--tables=functions\ntests/golden/mixture.data\n"},
    {"packages", "packages", example_packages,
     "report\n--by=package\n--no-legend\n--tables=direct,graph\n"},
    {"packages-folded", "packages", example_packages,
     "export\n--format=folded\n--by=package\n"},
    {"lines", "lines", example_lines,
     "report\n--by=line\n--tables=leaks,direct,graph\n"},
    {"long", "long", example_long,
     "report\n--tables=direct,graph\n--no-legend\n--width=99\n"},
    {"mixture-lisp", "mixture", example_mixture, "export\n--format=lisp\n"},
    {"mixture-contexts", "mixture", example_mixture,
     "export\n--format=lisp-contexts\n--hide=PARSE\n"},
    {"two-cycles-contexts", "two-cycles", example_two_cycles,
     "export\n--format=lisp-contexts\n"},
    {"phases-contexts", "phases", example_phases,
     "export\n--format=lisp-contexts\n--phase=run,load\n"
     "--thread=^worker\n"},
    {"live", "live", example_live, "report\n-verbose\n"},
    {"live-value", "live", example_live,
     "report\n-verbose\n--no-legend\n--value=live-allocs\n"},
    {"live-lisp", "live", example_live, "export\n--format=lisp\n"},
    {"live-unknown", "live-unknown", example_live_unknown,
     "report\n--no-legend\n"},
    {"live-before", "live-before", example_live_before,
     "report\n--no-legend\n--tables=direct,types\n--sort=live\n"
     "--min-percent=25\n"},
    {"survival", "survival", example_survival, "report\n--tables=survival\n"},
    {"survival-lisp", "survival", example_survival,
     "export\n--format=lisp\n--focus=SERVE\n"},
    {"survival-json", "survival", example_survival,
     "export\n--format=json\n--type=CONS\n"},
    {"held", "held", example_held, "report\n-verbose\n--tables=held\n"},
    {"held-lisp", "held", example_held,
     "export\n--format=lisp\n--value=held\n"},
    {"held-folded", "held", example_held,
     "export\n--format=folded\n--value=held-allocs\n"},
    {"held-direct", "held", example_held,
     "report\n--no-legend\n--tables=direct,types\n"},
    {"live-diff", "live", example_live,
     "diff\n-verbose\ntests/golden/live-before.data\n"},
};

static bool
updating(void)
{
  return getenv("MPROF_UPDATE_GOLDEN") != NULL;
}

static char *
read_text(const char *path, size_t *length)
{
  FILE *file = fopen(path, "rb");
  if (file == NULL)
    fail_msg("cannot open %s", path);
  char *text = pool_zeroed(1, 1 << 20);
  assert_non_null(text);
  *length = fread(text, 1, (1 << 20) - 1, file);
  fclose(file);
  return text;
}

static void
compare_data(const struct builder *b, const char *path)
{
  struct input_file file;
  size_t length;
  uint8_t *data = builder_pack(b, &length);
  input_file_read(&file, path, &input_limits_default);
  assert_int_equal(file.length, length);
  assert_memory_equal(file.data, data, length);
  pool_free(file.data);
  pool_free(data);
}

static void
compare_report(void **state)
{
  const struct golden *golden = *state;
  char data_path[128];
  char text_path[128];
  char arguments[256];
  char *output;
  char *error;
  snprintf(data_path, sizeof data_path, "tests/golden/%s.data", golden->data);
  snprintf(text_path, sizeof text_path, "tests/golden/%s.txt", golden->name);
  snprintf(arguments, sizeof arguments, "%s%s", golden->arguments, data_path);
  struct builder *b = golden->make();
  if (updating())
    builder_write(b, data_path);
  compare_data(b, data_path);
  builder_free(b);
  int status = mprof_command(arguments, &output, &error);
  assert_string_equal(error, "");
  assert_int_equal(status, 0);
  if (updating())
    builder_write_bytes(text_path, (const uint8_t *)output, strlen(output));
  size_t length;
  char *expected = read_text(text_path, &length);
  assert_string_equal(output, expected);
  pool_free(expected);
  pool_free(output);
  pool_free(error);
}

int
main(void)
{
  enum { COUNT = sizeof goldens / sizeof goldens[0] };
  struct CMUnitTest tests[COUNT];
  for (size_t i = 0; i < COUNT; i++)
    tests[i] = (struct CMUnitTest){
        .name = goldens[i].name,
        .test_func = compare_report,
        .initial_state = (void *)(uintptr_t)&goldens[i],
    };
  return RUN_IN_ATTEMPT(tests, NULL, NULL);
}
