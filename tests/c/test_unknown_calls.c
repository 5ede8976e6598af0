/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Calls of C functions that nobody counts, and what is unknown with them. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "attempting.h"
#include "example_profiles.h"
#include "graph_fixture.h"

static void
check_calls(const struct fixture *f, const char *function, uint64_t calls)
{
  assert_true(node(f, function)->calls == calls);
}

static void
check_arc_calls(const struct fixture *f, const char *caller,
                const char *callee, uint64_t calls)
{
  const struct graph_arc *arc = find_arc(f, caller, callee);
  assert_non_null(arc);
  assert_true(arc->calls == calls);
}

static void
unknown_calls(void **state)
{
  struct fixture f = {0};
  (void)state;
  add_file(&f, example_unknown_calls());
  reduce(&f);
  check_calls(&f, "PARSE", 3);
  check_calls(&f, "sort", CALLS_UNKNOWN);
  check_arc_calls(&f, "PARSE", "sort", CALLS_UNKNOWN);
  check_arc_calls(&f, "sort", "sort", CALLS_UNKNOWN);
  check_arc_calls(&f, "sort", "COMPARE", 40);
  check_arc_calls(&f, "PARSE", "READ", 8); /* copy is hidden */
  assert_true(node(&f, "start")->root_calls == CALLS_UNKNOWN);
  assert_int_equal(node(&f, "sort")->root_calls, 0);
  const struct call_graph *graph = &f.reduction.graph;
  assert_true(call_graph_other_calls(graph, node_index(&f, "sort")) ==
              CALLS_UNKNOWN);
  assert_int_equal(call_graph_other_calls(graph, node_index(&f, "PARSE")), 3);
  assert_int_equal(f.reduction.cycles.count, 2);
  const struct cycle *walk = &f.reduction.cycles.items[0];
  const struct cycle *visit = &f.reduction.cycles.items[1];
  assert_int_equal(walk->outside_calls, 1);
  assert_true(walk->inside_calls == CALLS_UNKNOWN);
  assert_true(visit->outside_calls == CALLS_UNKNOWN);
  assert_true(visit->inside_calls == CALLS_UNKNOWN);
  assert_int_equal(visit->root_calls, 0);
  done(&f);
}

/* What is hidden has no calls to be unknown; those of its callees go to the
 * nearest caller that shows. */
static void
unknown_calls_hidden(void **state)
{
  struct fixture f = {.options = {SELECT(HIDE, "^(sort|each|start)$")}};
  (void)state;
  add_file(&f, example_unknown_calls());
  reduce(&f);
  check_arc_calls(&f, "PARSE", "COMPARE", 40);
  check_arc_calls(&f, "WALK", "WALK", 6);
  check_calls(&f, "WALK", 7);
  assert_int_equal(node(&f, "WORK")->root_calls, 7);
  done(&f);
}

/* One file counts the calls of a function, another does not. */
static void
calls_unknown_to_one_file(void **state)
{
  (void)state;
  for (int order = 0; order < 2; order++) {
    struct fixture f = {0};
    struct builder *known = builder_new("lisp");
    builder_cons(known, "MAIN/sort", 1);
    builder_activate(known, "MAIN", 1);
    builder_activate(known, "MAIN/sort", 5);
    if (order == 0)
      add_file(&f, known);
    add_file(&f, example_unknown_calls());
    if (order == 1)
      add_file(&f, known);
    reduce(&f);
    check_calls(&f, "MAIN", 2);
    check_calls(&f, "sort", CALLS_UNKNOWN);
    check_arc_calls(&f, "MAIN", "sort", CALLS_UNKNOWN);
    done(&f);
  }
}

/* Calls of a group are known when those of all its functions are. */
static void
unknown_calls_of_groups(void **state)
{
  struct fixture f = {.options = {.by = BY_PACKAGE}};
  (void)state;
  add_file(&f, example_unknown_calls());
  reduce(&f);
  check_calls(&f, "[C]", CALLS_UNKNOWN);
  check_calls(&f, "COMMON-LISP", 1 + 40 + 6 + 2 + 7);
  check_arc_calls(&f, "COMMON-LISP", "[C]", CALLS_UNKNOWN);
  check_arc_calls(&f, "[C]", "COMMON-LISP", 40 + 6 + 2 + 7);
  done(&f);
}

/* The profile keeps one comment on each name. */
static void
unknown_calls_once(void **state)
{
  struct fixture f = {0};
  (void)state;
  for (int i = 0; i < 3; i++)
    add_file(&f, example_unknown_calls());
  reduce(&f);
  const struct profile *profile = f.reduction.profile;
  size_t count = 0;
  for (size_t i = 0; i < profile->comment_count; i++)
    count += profile_comment_value(profile, i, "mprof.calls_unknown") != NULL;
  assert_int_equal(count, 5);
  done(&f);
}

int
main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(unknown_calls),
      cmocka_unit_test(unknown_calls_hidden),
      cmocka_unit_test(calls_unknown_to_one_file),
      cmocka_unit_test(unknown_calls_of_groups),
      cmocka_unit_test(unknown_calls_once),
  };
  return RUN_IN_ATTEMPT(tests, NULL, NULL);
}
