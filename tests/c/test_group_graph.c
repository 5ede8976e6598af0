/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* --by: the graph of groups against figures worked out by hand. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "attempting.h"
#include "example_profiles.h"
#include "graph_fixture.h"

/* Packages of example_packages:
 *
 *   160  APP, CL-PPCRE, COMMON-LISP, APP   (MATCH in SCAN is one step)
 *    80  APP, COMMON-LISP
 *    32  CL-PPCRE, APP
 *
 * A package counts once on a path: APP 160 + 80 + 32, CL-PPCRE 160 + 32,
 * COMMON-LISP 160 + 80.  Calls: APP 1 (MAIN, no caller) + 9 (HANDLE by
 * MAPCAR) + 2 (HANDLE by MATCH); CL-PPCRE 4 (SCAN by PARSE) + 2 (MATCH, no
 * caller); COMMON-LISP 6 (MAPCAR) + 5 (LIST).  PARSE by MAIN (3), MATCH by
 * SCAN (7) and MATCH by MATCH (8) are calls within a package.
 *
 * All three are one cycle: 1 + 2 calls from outside, and between members
 * 4 + 6 + 9 + 5 + 2. */
static void
graph_of_packages(void **state)
{
  struct fixture f = {.options = {.by = BY_PACKAGE}};
  (void)state;
  add_file(&f, example_packages());
  reduce(&f);
  assert_int_equal(f.reduction.graph.node_count, 3);
  check_node(&f, "APP", 192, 272, 1 + 9 + 2);
  check_node(&f, "CL-PPCRE", 0, 192, 4 + 2);
  check_node(&f, "COMMON-LISP", 80, 240, 6 + 5);
  assert_int_equal(f.reduction.graph.arc_count, 5);
  check_arc(&f, "APP", "CL-PPCRE", 160, 4);
  check_arc(&f, "CL-PPCRE", "COMMON-LISP", 160, 6);
  check_arc(&f, "COMMON-LISP", "APP", 160, 9);
  check_arc(&f, "APP", "COMMON-LISP", 80, 5);
  check_arc(&f, "CL-PPCRE", "APP", 32, 2);
  assert_int_equal(node(&f, "APP")->root.bytes, 240);
  assert_int_equal(node(&f, "APP")->root_calls, 1);
  assert_int_equal(node(&f, "CL-PPCRE")->root.bytes, 32);
  assert_int_equal(f.reduction.cycles.count, 1);
  const struct cycle *cycle = &f.reduction.cycles.items[0];
  assert_int_equal(cycle->member_count, 3);
  assert_int_equal(cycle->inclusive.bytes, 272);
  assert_int_equal(cycle->self.bytes, 272);
  assert_int_equal(cycle->outside_calls, 3);
  assert_int_equal(cycle->inside_calls, 26);
  done(&f);
}

/* A hidden frame neither joins a package nor keeps two of its frames apart:
 * without MAPCAR and CL-PPCRE, HANDLE is called by PARSE, within APP, but for
 * the 2 calls that have no caller then. */
static void
hidden_frames_and_packages(void **state)
{
  struct fixture f = {
      .options = {.by = BY_PACKAGE, SELECT(HIDE, "^MAPCAR$|^CL-PPCRE")}};
  (void)state;
  add_file(&f, example_packages());
  reduce(&f);
  check_node(&f, "APP", 192, 272, 1 + 2);
  check_node(&f, "COMMON-LISP", 80, 80, 5);
  assert_int_equal(f.reduction.graph.arc_count, 1);
  assert_int_equal(f.reduction.cycles.count, 0);
  done(&f);
}

/* Expressions are about functions, whatever rows stand for. */
static void
focus_is_on_functions(void **state)
{
  struct fixture f = {.options = {.by = BY_PACKAGE, SELECT(FOCUS, "MATCH")}};
  struct fixture none = {
      .options = {.by = BY_PACKAGE, SELECT(FOCUS, "^APP$")}};
  (void)state;
  add_file(&f, example_packages());
  reduce(&f);
  check_node(&f, "APP", 192, 192, 1 + 9 + 2);
  assert_null(find_arc(&f, "APP", "COMMON-LISP"));
  done(&f);
  add_file(&none, example_packages());
  reduce(&none);
  assert_int_equal(none.reduction.graph.node_count, 0);
  done(&none);
}

/* What no function is known of belongs to no group. */
static void
chains_without_functions(void **state)
{
  struct fixture f = {.options = {.by = BY_FILE}};
  struct builder *b = builder_new("lisp");
  (void)state;
  builder_cons(b, "%boot/%init", 1);
  builder_allocate(
      b, "", (struct allocation){1, 8, 8, "other", "BIGNUM", NULL, 0, 0});
  builder_cons(b, "APP::MAIN/%list", 2);
  add_file(&f, b);
  reduce(&f);
  check_node(&f, "[runtime]", 16, 16, 0);
  check_node(&f, "[unknown]", 8, 8, 0);
  check_node(&f, "[no file]", 32, 32, 0);
  assert_int_equal(f.reduction.selection.nameless_leaf_bytes, 24);
  done(&f);
}

/* A group may be called as a function is that is hidden, or not. */
static void
groups_called_like_functions(void **state)
{
  struct fixture f = {.options = {.by = BY_PACKAGE, SELECT(HIDE, "^APP$")}};
  struct builder *b = builder_new("lisp");
  (void)state;
  builder_cons(b, "APP/APP::MAIN/APP/APP::WORK", 1);
  add_file(&f, b);
  reduce(&f);
  assert_int_equal(f.reduction.graph.node_count, 1);
  check_node(&f, "APP", 16, 16, 0);
  done(&f);
}

/* MAIN calls READ on lines 11 and 12; READ allocates on lines 22 and 23, and
 * calls itself on line 24.  All are in two files.  By line: MAIN:11 160 + 32,
 * MAIN:12 80; READ:22 160 + 80, READ:24 32, READ:23 32; calls are of
 * functions, not of lines.  By file: b.c has 272, below a.c, by 1 + 5 + 6
 * calls; the 7 of READ by itself are within b.c. */
static void
lines_and_files(void **state)
{
  struct fixture lines = {.options = {.by = BY_LINE}};
  struct fixture files = {.options = {.by = BY_FILE}};
  (void)state;
  add_file(&lines, example_lines());
  reduce(&lines);
  assert_int_equal(lines.reduction.graph.node_count, 5);
  check_node(&lines, "main a.c:11", 0, 192, 0);
  check_node(&lines, "main a.c:12", 0, 80, 0);
  check_node(&lines, "read_all b.c:22", 240, 240, 0);
  check_node(&lines, "read_all b.c:24", 0, 32, 0);
  check_node(&lines, "read_all b.c:23", 32, 32, 0);
  check_arc(&lines, "main a.c:11", "read_all b.c:22", 160, 0);
  check_arc(&lines, "read_all b.c:24", "read_all b.c:23", 32, 0);
  assert_int_equal(lines.reduction.graph.arc_count, 4);
  assert_false(lines.reduction.selection.counts_calls);
  done(&lines);
  add_file(&files, example_lines());
  reduce(&files);
  check_node(&files, "a.c", 0, 272, 1);
  check_node(&files, "b.c", 272, 272, 5 + 6);
  check_arc(&files, "a.c", "b.c", 272, 5 + 6);
  assert_int_equal(files.reduction.graph.arc_count, 1);
  done(&files);
}

/* Where only the lines are known that functions begin on, as for Lisp, lines
 * are functions, with their calls; but a call of the line by itself is
 * within it. */
static void
lines_of_functions(void **state)
{
  struct fixture f = {.options = {.by = BY_LINE}};
  struct builder *b = builder_new("lisp");
  (void)state;
  builder_function(b, "APP::F", "app.lisp", 5);
  builder_cons(b, "APP::F/APP::F/LIST", 1);
  builder_activate(b, "APP::F", 2);
  builder_activate(b, "APP::F/APP::F", 3);
  builder_activate(b, "APP::F/APP::F/LIST", 4);
  add_file(&f, b);
  reduce(&f);
  check_node(&f, "APP::F app.lisp:5", 0, 16, 2);
  check_arc(&f, "APP::F app.lisp:5", "LIST", 16, 4);
  assert_int_equal(f.reduction.graph.arc_count, 1);
  done(&f);
}

int
main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(graph_of_packages),
      cmocka_unit_test(hidden_frames_and_packages),
      cmocka_unit_test(focus_is_on_functions),
      cmocka_unit_test(chains_without_functions),
      cmocka_unit_test(groups_called_like_functions),
      cmocka_unit_test(lines_and_files),
      cmocka_unit_test(lines_of_functions),
  };
  return RUN_IN_ATTEMPT(tests, NULL, NULL);
}
