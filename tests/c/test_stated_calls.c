/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Calls that a file leaves to its reader to add up: the same profile with all
 * calls stated and with those alone that are no sums says the same.
 */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "profile_text.h"
#include "mprof.h"
#include "profile_invariants.h"
#include "scratch_file.h"

static void
allocate(struct builder *b, const char *chain, int64_t count, int64_t calls)
{
  builder_allocate(
      b, chain,
      (struct allocation){count, 8 * count, 8, NULL, NULL, NULL, 0, 0});
  b->values[b->profile.n_sample - 1][4] = calls;
}

/* f calls itself, h, and g, which calls f: what is below that and allocates
 * is counted by the first f alone.  "f/g" allocates, and calls. */
static void
add_objects(struct builder *b)
{
  allocate(b, "main/f/g/x", 5, 5);
  allocate(b, "main/f/g", 2, 2);
  allocate(b, "main/f/f/f/x", 3, 3);
  allocate(b, "main/f/g/f/g/x", 7, 0);
  allocate(b, "main/h@3/x", 11, 11);
  builder_by_thread(b, "other");
  allocate(b, "y", 1, 1);
}

static struct builder *
all_stated(void)
{
  struct builder *b = builder_new("c");
  add_objects(b);
  builder_activate(b, "main", 28);
  builder_activate(b, "main/f", 17);
  builder_activate(b, "main/f/g", 12);
  builder_activate(b, "main/f/f", 3);
  builder_activate(b, "main/f/g/f", 7);
  builder_activate(b, "main/h@3", 40); /* 29 of them without allocations */
  return b;
}

static struct builder *
sums_left_out(const char *comment)
{
  struct builder *b = builder_new("c");
  add_objects(b);
  builder_activate(b, "main/f/f/f", 1); /* each one more than it has */
  builder_activate(b, "main/f/g/f/g", 1);
  builder_activate(b, "main/h@3", 41);
  builder_activate(b, "main/f", 0); /* says nothing */
  builder_comment(b, comment);
  return b;
}

static char *
command(const char *arguments)
{
  char *output;
  char *error;
  int status = mprof_command(arguments, &output, &error);
  if (status != 0)
    fail_msg("%s", error);
  assert_string_equal(error, "");
  mprof_string_free(error);
  return output;
}

/* What the profile says; the caller frees it. */
static char *
say(const char *what, struct builder *b)
{
  char arguments[256];
  builder_write(b, scratch);
  builder_free(b);
  snprintf(arguments, sizeof arguments, "%s\n%s", what, scratch);
  return command(arguments);
}

static const char *const questions[] = {
    "report\n-verbose",
    "report\n--by=file",
    "export\n--format=csv\n--table=contexts",
    "export\n--format=csv\n--table=arcs",
    "export\n--format=csv\n--table=threads",
    "export\n--format=lisp",
    "export\n--format=json",
};

static void
both_forms_say_the_same(void **state)
{
  (void)state;
  for (size_t i = 0; i < sizeof questions / sizeof questions[0]; i++) {
    char *all = say(questions[i], all_stated());
    char *sums = say(questions[i], sums_left_out("mprof.stated_calls=3"));
    assert_string_equal(all, sums);
    mprof_string_free(all);
    mprof_string_free(sums);
  }
}

/* The figures themselves. */
static void
calls_of_chains(void **state)
{
  char *text = say("export\n--format=csv\n--table=contexts",
                   sums_left_out("mprof.stated_calls=3"));
  static const char *const lines[] = {
      "\"main\",0,0,28,0,0",      "\"main;f\",0,0,17,0,0",
      "\"main;f;g\",16,2,14,0,0", "\"main;f;g;x\",40,5,5,0,0",
      "\"main;f;f\",0,0,3,0,0",   "\"main;f;f;f;x\",24,3,3,0,0",
      "\"main;f;g;f\",0,0,7,0,0", "\"main;f;g;f;g;x\",56,7,0,0,0",
      "\"main;h\",0,0,40,0,0",    "\"main;h;x\",88,11,11,0,0",
      "\"y\",8,1,1,0,0",
  };
  (void)state;
  for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++)
    if (strstr(text, lines[i]) == NULL)
      fail_msg("no %s in:\n%s", lines[i], text);
  size_t count = 0;
  for (const char *c = text; *c != '\0'; c++)
    count += *c == '\n';
  assert_int_equal(count, 1 + sizeof lines / sizeof lines[0]);
  mprof_string_free(text);
}

/* A file that says nothing of sums has none: a chain without stated calls
 * has no calls. */
static void
nothing_is_added_unasked(void **state)
{
  struct builder *b = builder_new("c");
  struct builder *lisp = builder_new("lisp");
  (void)state;
  allocate(b, "main/f/g", 2, 2);
  char *text = say("export\n--format=csv\n--table=contexts", b);
  assert_null(strstr(text, "\"main;f\","));
  mprof_string_free(text);
  allocate(lisp, "MAIN/F/G", 2, 2);
  text = say("export\n--format=csv\n--table=contexts", lisp);
  assert_null(strstr(text, "\"MAIN;F\","));
  mprof_string_free(text);
}

/* What has a label is no statement of the calls of its chain, but adds to
 * them. */
static void
labels_add(void **state)
{
  struct builder *b = builder_new("c");
  (void)state;
  allocate(b, "main/f/g", 2, 2);
  builder_activate(b, "main/f", 5);
  builder_by_thread(b, "other");
  builder_comment(b, "mprof.stated_calls=0");
  char *text = say("export\n--format=csv\n--table=contexts", b);
  if (strstr(text, "\"main;f\",0,0,7,") == NULL)
    fail_msg("%s", text);
  mprof_string_free(text);
}

/* How many samples of FILE say nothing of objects. */
static size_t
count_calls(const char *path, bool *adds)
{
  struct input_file file;
  struct mprof_error error;
  size_t count = 0;
  mprof_error_clear(&error);
  if (!input_file_read(&file, path, &input_limits_default, &error))
    fail_msg("%s", error.message);
  Mprof__Pprof__Profile *p =
      mprof__pprof__profile__unpack(NULL, file.length, file.data);
  assert_non_null(p);
  for (size_t i = 0; i < p->n_sample; i++) {
    count += p->sample[i]->value[0] == 0;
    /* other programs drop what is all zero */
    assert_true(p->sample[i]->value[0] != 0 || p->sample[i]->value[4] != 0);
  }
  *adds = false;
  for (size_t i = 0; i < p->n_mprof_comment; i++) {
    const char *text = p->string_table[p->mprof_comment[i]];
    char expected[64];
    snprintf(expected, sizeof expected, "mprof.stated_calls=%zu", count);
    if (strncmp(text, "mprof.stated_calls=", 19) == 0) {
      assert_string_equal(text, expected);
      assert_false(*adds);
      *adds = true;
    }
  }
  mprof__pprof__profile__free_unpacked(p, NULL);
  input_file_release(&file);
  return count;
}

/* Writes FILE anew. */
static size_t
merge(struct builder *b, bool *adds)
{
  char arguments[256];
  builder_write(b, scratch);
  builder_free(b);
  snprintf(arguments, sizeof arguments, "merge\n-o\n%s\n%s", scratch,
           scratch);
  mprof_string_free(command(arguments));
  return count_calls(scratch, adds);
}

/* A deep chain of one function, which counts once. */
static struct builder *
deep(void)
{
  struct builder *b = builder_new("c");
  allocate(b, "main/f/f/f/f/f/f/f/f/f/x", 4, 4);
  builder_activate(b, "main", 4);
  builder_activate(b, "main/f", 4);
  builder_activate(b, "main/f/f", 4);
  return b;
}

static void
merged_files_have_the_shorter_form(void **state)
{
  bool adds;
  (void)state;
  assert_int_equal(merge(all_stated(), &adds), 3);
  assert_true(adds);
  assert_int_equal(merge(sums_left_out("mprof.stated_calls=3"), &adds), 3);
  assert_true(adds);
  assert_int_equal(merge(deep(), &adds), 3);
  assert_false(adds);
  assert_int_equal(merge(example("widgets-c"), &adds), 3);
  assert_true(adds);
  assert_int_equal(merge(example("recursion"), &adds), 5); /* Lisp */
  assert_false(adds);
}

static void
refused(struct builder *b, const char *reason)
{
  builder_write(b, scratch);
  builder_free(b);
  check_refused(scratch, reason);
}

static void
what_is_refused(void **state)
{
  (void)state;
  refused(sums_left_out("mprof.stated_calls=2"),
          "mprof.stated_calls is 2, but 3 samples state calls");
  refused(sums_left_out("mprof.stated_calls=4"),
          "mprof.stated_calls is 4, but 3 samples state calls");
  refused(sums_left_out("mprof.stated_calls=some"), "that is not a count");
  refused(sums_left_out("mprof.stated_calls=-1"), "that is not a count");
  struct builder *b = sums_left_out("mprof.stated_calls=3");
  builder_comment(b, "mprof.stated_calls=3");
  refused(b, "repeats mprof.stated_calls");
  b = sums_left_out("mprof.stated_calls=3");
  b->values[0][0] = INT64_MAX - 30;
  refused(b, "the sums overflow at sample 10");
}

int
main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(both_forms_say_the_same),
      cmocka_unit_test(calls_of_chains),
      cmocka_unit_test(nothing_is_added_unasked),
      cmocka_unit_test(labels_add),
      cmocka_unit_test(merged_files_have_the_shorter_form),
      cmocka_unit_test(what_is_refused),
  };
  return cmocka_run_group_tests(tests, make_scratch, remove_scratch);
}
