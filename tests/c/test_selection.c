/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* What is left out of the call graph, and who is charged for it: what called
 * the profiled body, functions of the runtime and of ECL, and what --hide,
 * --focus and their like name.
 */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "attempting.h"
#include "example_profiles.h"
#include "graph_fixture.h"

/* By default chains begin below the function that runs the body. */
static void
session_root(void **state)
{
  struct fixture f = {0};
  (void)state;
  add_file(&f, example_session());
  reduce(&f);
  check_node(&f, "APP::BODY", 160, 240, 1);
  assert_int_equal(node(&f, "APP::BODY")->root.bytes, 240);
  assert_int_equal(node(&f, "APP::BODY")->root_calls, 1);
  check_node(&f, "EVAL", 48, 80 + 320 + 48, 2 + 5);
  check_arc(&f, "APP::BODY", "EVAL", 80, 2);
  check_node(&f, "MPROF::CALL-COUNTING", 0, 80, 3); /* the inner one */
  check_arc(&f, "EVAL", "MPROF::CALL-COUNTING", 80, 3);
  check_arc(&f, "MPROF::CALL-COUNTING", "APP::INNER", 80, 4);
  check_node(&f, "[session]", 48, 48, 0);
  check_node(&f, "THREAD", 0, 368, 1);
  check_arc(&f, "THREAD", "EVAL", 368, 5);
  check_arc(&f, "EVAL", "APP::STEP", 320, 6);
  check_arc(&f, "APP::STEP", "APP::WORK", 320, 7 + 8);
  assert_null(find_arc(&f, "EVAL", "EVAL"));
  assert_int_equal(node_index(&f, "TOP"), INDEX_NONE);
  assert_int_equal(node_index(&f, "LOAD"), INDEX_NONE);
  assert_int_equal(f.reduction.graph.node_count, 8);
  assert_int_equal(f.reduction.cycles.count, 0);
  assert_int_equal(f.reduction.selection.total.bytes, 656);
  done(&f);
}

/* Nothing is cut off on request, and then the recursion shows. */
static void
session_root_shown(void **state)
{
  struct fixture root = {.options = {.select.show_root = true}};
  struct fixture runtime = {.options = {.select.show_runtime = true}};
  (void)state;
  add_file(&root, example_session());
  reduce(&root);
  check_node(&root, "TOP", 0, 288, 1);
  check_node(&root, "MPROF::CALL-COUNTING", 48, 288, 1 + 3);
  check_arc(&root, "TOP", "EVAL", 288, 1);
  check_arc(&root, "LOAD", "EVAL", 0, 100);
  assert_int_equal(node(&root, "EVAL")->cycle, 1);
  assert_int_equal(node_index(&root, "apply"), INDEX_NONE);
  assert_int_equal(node_index(&root, "[session]"), INDEX_NONE);
  done(&root);
  add_file(&runtime, example_session());
  reduce(&runtime);
  check_node(&runtime, "TOP", 0, 288, 1);
  check_node(&runtime, "MPROF::CALL-COUNTING", 32, 288, 1 + 3);
  check_node(&runtime, "list", 16, 16, 50);
  check_arc(&runtime, "apply", "MPROF::CALL-COUNTING", 80, 3);
  done(&runtime);
}

/* What is cut off matches no expression. */
static void
session_root_and_selection(void **state)
{
  struct fixture ignore = {.options = {SELECT(IGNORE, "^(TOP|MPROF::.*)$")}};
  struct fixture focus = {.options = {SELECT(FOCUS, "EVAL")}};
  struct fixture hide = {.options = {SELECT(HIDE, "BODY")}};
  (void)state;
  add_file(&ignore, example_session());
  reduce(&ignore);
  assert_int_equal(ignore.reduction.selection.total.bytes, 656 - 80);
  check_node(&ignore, "APP::BODY", 160, 160, 1);
  done(&ignore);
  add_file(&focus, example_session());
  reduce(&focus);
  assert_int_equal(focus.reduction.selection.total.bytes, 80 + 320 + 48);
  check_node(&focus, "APP::BODY", 0, 80, 1);
  done(&focus);
  add_file(&hide, example_session());
  reduce(&hide);
  check_node(&hide, "[hidden]", 160, 160, 0);
  check_node(&hide, "[session]", 48, 48, 0);
  done(&hide);
}

/* ECL's functions and mprof's are charged to the program's. */
static void
system_functions_hidden(void **state)
{
  struct fixture f = {.options = {.select.hide_system = true}};
  (void)state;
  add_file(&f, example_session());
  reduce(&f);
  check_node(&f, "APP::BODY", 160, 240, 1);
  check_arc(&f, "APP::BODY", "APP::INNER", 80, 4);
  check_arc(&f, "APP::STEP", "APP::WORK", 320, 7 + 8);
  check_node(&f, "[hidden]", 48, 48, 0);
  check_node(&f, "[session]", 48, 48, 0);
  assert_int_equal(f.reduction.graph.node_count, 6);
  done(&f);
}

/* Allocations beside profiled bodies keep what is on the way to both. */
static void
session_root_and_more(void **state)
{
  struct fixture f = {0};
  struct builder *b = builder_new("lisp");
  (void)state;
  builder_comment(b, "mprof.root=");
  builder_comment(b, "mprof.root=ROOT");
  builder_comment(b, "mprof.root=NOWHERE");
  builder_cons(b, "TOP/EVAL/LOAD/ROOT/F", 1);
  builder_cons(b, "TOP/EVAL/LOAD/ROOT/LOAD", 1);
  builder_cons(b, "TOP/EVAL", 2);
  builder_cons(b, "ROOT", 4);
  builder_allocate(
      b, "", (struct allocation){1, 8, 8, "other", "BIGNUM", NULL, 0, 0});
  builder_activate(b, "TOP", 1);
  builder_activate(b, "TOP/EVAL", 2);
  builder_activate(b, "TOP/EVAL/LOAD", 3);
  builder_activate(b, "TOP/EVAL/LOAD/ROOT", 4);
  builder_activate(b, "TOP/EVAL/LOAD/ROOT/LOAD", 5);
  add_file(&f, b);
  reduce(&f);
  check_node(&f, "TOP", 0, 32, 1);
  check_arc(&f, "TOP", "EVAL", 32, 2);
  check_node(&f, "LOAD", 16, 16, 5);
  check_node(&f, "F", 16, 16, 0);
  check_node(&f, "[session]", 64, 64, 0);
  check_node(&f, "[unknown]", 8, 8, 0);
  assert_int_equal(f.reduction.graph.node_count, 6);
  done(&f);
}

static struct builder *
runtime_profile(void)
{
  struct builder *b = builder_new("lisp");
  builder_cons(b, "MAIN/%apply/F/%list/%alloc", 1);
  builder_cons(b, "%boot/%init", 2);
  builder_activate(b, "MAIN/%apply", 10);
  builder_activate(b, "MAIN/%apply/F", 20);
  builder_activate(b, "MAIN/%apply/F/%list", 30);
  return b;
}

static void
hidden_runtime_frames(void **state)
{
  struct fixture f = {0};
  (void)state;
  add_file(&f, runtime_profile());
  reduce(&f);
  assert_int_equal(f.reduction.graph.node_count, 3);
  check_node(&f, "F", 16, 16, 20);
  check_node(&f, "MAIN", 0, 16, 0); /* the calls of apply are not its own */
  check_arc(&f, "MAIN", "F", 16, 20);
  check_node(&f, "[runtime]", 32, 32, 0);
  done(&f);
}

static void
shown_runtime_frames(void **state)
{
  struct fixture f = {.options = {.select.show_runtime = true}};
  (void)state;
  add_file(&f, runtime_profile());
  reduce(&f);
  check_node(&f, "alloc", 16, 16, 0);
  check_node(&f, "list", 0, 16, 30);
  check_node(&f, "apply", 0, 16, 10);
  check_node(&f, "init", 32, 32, 0);
  check_arc(&f, "apply", "F", 16, 20);
  assert_int_equal(node_index(&f, "[runtime]"), INDEX_NONE);
  done(&f);
}

static void
hide_charges_callers(void **state)
{
  struct fixture f = {.options = {SELECT(HIDE, "^CL-USER::MAKE-(RED|BLUE)")}};
  (void)state;
  add_file(&f, example_widgets());
  reduce(&f);
  assert_int_equal(f.reduction.graph.node_count, 2);
  check_node(&f, "CL-USER::MAKE-WIDGET", 480000, 480000, 10000);
  check_arc(&f, "CL-USER::RUN", "CL-USER::MAKE-WIDGET", 480000, 10000);
  done(&f);
}

static void
focus_and_ignore(void **state)
{
  struct fixture focus = {.options = {SELECT(FOCUS, "RED")}};
  struct fixture ignore = {.options = {SELECT(IGNORE, "RED")}};
  (void)state;
  add_file(&focus, example_widgets());
  reduce(&focus);
  assert_true(focus.reduction.selection.narrowed);
  assert_int_equal(focus.reduction.selection.total.bytes, 240000);
  check_node(&focus, "CL-USER::RUN", 0, 240000, 1);
  assert_int_equal(node_index(&focus, "CL-USER::MAKE-BLUE-WIDGET"),
                   INDEX_NONE);
  done(&focus);
  add_file(&ignore, example_widgets());
  reduce(&ignore);
  assert_int_equal(ignore.reduction.selection.total.bytes, 240000);
  check_node(&ignore, "CL-USER::MAKE-WIDGET", 240000, 240000, 5000);
  assert_int_equal(node_index(&ignore, "CL-USER::MAKE-RED-WIDGET"),
                   INDEX_NONE);
  done(&ignore);
}

/* Chains begin at MAKE-RED-WIDGET, whose calls have no caller then; those
 * without it are dropped, with the call of RUN. */
static void
shown_from_a_function(void **state)
{
  struct fixture f = {.options = {SELECT(SHOW_FROM, "RED|MAKE-WIDGET")}};
  struct fixture only = {.options = {SELECT(SHOW_FROM, "RED")}};
  (void)state;
  add_file(&f, example_widgets());
  reduce(&f);
  check_node(&f, "CL-USER::MAKE-RED-WIDGET", 0, 240000, 5000);
  assert_int_equal(node(&f, "CL-USER::MAKE-RED-WIDGET")->root_calls, 5000);
  check_node(&f, "CL-USER::MAKE-WIDGET", 480000, 480000, 10000);
  assert_int_equal(node(&f, "CL-USER::MAKE-WIDGET")->root.bytes, 240000);
  assert_int_equal(node(&f, "CL-USER::MAKE-WIDGET")->root_calls, 5000);
  assert_int_equal(f.reduction.graph.node_count, 2);
  assert_false(f.reduction.selection.narrowed);
  done(&f);
  add_file(&only, example_widgets());
  reduce(&only);
  check_node(&only, "CL-USER::MAKE-WIDGET", 240000, 240000, 5000);
  assert_int_equal(only.reduction.graph.node_count, 2);
  assert_int_equal(only.reduction.selection.total.bytes, 240000);
  assert_true(only.reduction.selection.narrowed);
  done(&only);
}

/* The outermost match counts, and only among what shows: in MAIN/A/B/A it is
 * the first A, unless that is all that is hidden. */
static void
shown_from_what_shows(void **state)
{
  struct fixture f = {.options = {SELECT(SHOW_FROM, "^(A|B)$")}};
  struct fixture hidden = {
      .options = {SELECT(SHOW_FROM, "^(A|B)$"), SELECT(HIDE, "^A$")}};
  struct fixture none = {
      .options = {SELECT(SHOW_FROM, "^A$"), SELECT(HIDE, "^A$")}};
  (void)state;
  add_file(&f, example_nested_cycles());
  reduce(&f);
  check_node(&f, "A", 16, 48, 2 + 6);
  check_node(&f, "B", 0, 48, 3 + 5);
  assert_int_equal(node_index(&f, "MAIN"), INDEX_NONE);
  done(&f);
  add_file(&hidden, example_nested_cycles());
  reduce(&hidden);
  check_node(&hidden, "B", 16, 48, 3 + 5); /* 3 of them have no caller */
  assert_int_equal(node(&hidden, "B")->root_calls, 3);
  done(&hidden);
  add_file(&none, example_nested_cycles());
  reduce(&none);
  assert_int_equal(none.reduction.graph.node_count, 0);
  done(&none);
}

/* All but what matches is charged to its callers, or is nobody's. */
static void
shown_alone(void **state)
{
  struct fixture f = {.options = {SELECT(SHOW, "RUN|MAKE-WIDGET")}};
  struct fixture none = {.options = {SELECT(SHOW, "nothing")}};
  (void)state;
  add_file(&f, example_widgets());
  reduce(&f);
  assert_int_equal(f.reduction.graph.node_count, 2);
  check_arc(&f, "CL-USER::RUN", "CL-USER::MAKE-WIDGET", 480000, 10000);
  assert_int_equal(f.reduction.selection.unmatched, 0);
  done(&f);
  add_file(&none, example_widgets());
  reduce(&none);
  assert_int_equal(none.reduction.graph.node_count, 1);
  check_node(&none, "[hidden]", 480000, 480000, 0);
  assert_int_equal(none.reduction.selection.unmatched, 1u << EXPRESSION_SHOW);
  done(&none);
}

int
main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(session_root),
      cmocka_unit_test(session_root_shown),
      cmocka_unit_test(session_root_and_selection),
      cmocka_unit_test(system_functions_hidden),
      cmocka_unit_test(session_root_and_more),
      cmocka_unit_test(hidden_runtime_frames),
      cmocka_unit_test(shown_runtime_frames),
      cmocka_unit_test(hide_charges_callers),
      cmocka_unit_test(focus_and_ignore),
      cmocka_unit_test(shown_from_a_function),
      cmocka_unit_test(shown_from_what_shows),
      cmocka_unit_test(shown_alone),
  };
  return RUN_IN_ATTEMPT(tests, NULL, NULL);
}
