/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* --by: the names of groups, and the graph of groups against figures worked
 * out by hand.
 */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "example_profiles.h"
#include "analysis/group_names.h"
#include "graph_fixture.h"

struct name_case {
  enum granularity by;
  enum language language;
  struct group_source source;
  const char *group;
};

static void
check_names(const struct name_case *cases, size_t count)
{
  for (size_t i = 0; i < count; i++) {
    struct sink_string text = {0};
    struct sink sink;
    sink_init(&sink, sink_write_string, &text);
    group_name_write(cases[i].by, cases[i].language, &cases[i].source, &sink);
    assert_true(sink_flush(&sink));
    if (strcmp(text.text == NULL ? "" : text.text, cases[i].group) != 0)
      fail_msg("%s: %s, not %s", cases[i].source.name, text.text,
               cases[i].group);
    free(text.text);
  }
}

#define LISP(by, name, group)                                                \
  {                                                                          \
    by, LANGUAGE_LISP, {name, "", 0, false}, group                           \
  }
#define C(by, name, group)                                                   \
  {                                                                          \
    by, LANGUAGE_C, {name, "", 0, false}, group                              \
  }
#define GO(by, name, group)                                                  \
  {                                                                          \
    by, LANGUAGE_C, {name, "/src/x.go", 0, false}, group                     \
  }

static void
lisp_packages(void **state)
{
  static const struct name_case cases[] = {
      LISP(BY_PACKAGE, "APP::MAIN", "APP"),
      LISP(BY_PACKAGE, "APP:MAIN", "APP"),
      LISP(BY_PACKAGE, "MAPCAR", "COMMON-LISP"),
      LISP(BY_PACKAGE, "1+", "COMMON-LISP"),
      LISP(BY_PACKAGE, "SI:MAKE-VECTOR", "SI"),
      LISP(BY_PACKAGE, "|odd (package|::|F G|", "|odd (package|"),
      LISP(BY_PACKAGE, "APP::|a::b|", "APP"),
      LISP(BY_PACKAGE, "(SETF APP::SIZE)", "APP"),
      LISP(BY_PACKAGE, "(SETF GETHASH)", "COMMON-LISP"),
      LISP(BY_PACKAGE, "(MACRO-FUNCTION APP::WITH-IT)", "APP"),
      LISP(BY_PACKAGE, "(LAMBDA :IN APP::MAIN)", "APP"),
      LISP(BY_PACKAGE, "(FLET LIST :IN APP::MAIN)", "APP"),
      LISP(BY_PACKAGE, "(LABELS A::F :IN (LAMBDA :IN (SETF B::G)))", "B"),
      LISP(BY_PACKAGE, "(FLET A::F)", "A"),
      LISP(BY_PACKAGE, "(METHOD APP::AREA (INTEGER))", "APP"),
      LISP(BY_PACKAGE, "(METHOD (SETF APP::AREA) :AROUND (T INTEGER))",
           "APP"),
      LISP(BY_PACKAGE, "(METHOD PRINT-OBJECT (APP::WIDGET T))", "APP"),
      LISP(BY_PACKAGE, "(METHOD PRINT-OBJECT (T T))", "COMMON-LISP"),
      LISP(BY_PACKAGE, "(METHOD CLOS:SLOT-VALUE-USING-CLASS (A::M T T))",
           "A"),
      LISP(BY_PACKAGE, "(METHOD A::F (B::C))", "A"),
      LISP(BY_PACKAGE, "(METHOD INITIALIZE-INSTANCE :AFTER (T (EQL A::B)))",
           "COMMON-LISP"),
      LISP(BY_PACKAGE, "(LAMBDA :IN (METHOD PRINT-OBJECT (APP::WIDGET T)))",
           "APP"),
      LISP(BY_PACKAGE, "(LAMBDA :IN (DEFVAR APP::*X*))", "APP"),
      LISP(BY_PACKAGE, "(FLET A::F :IN (LIB:DEFINE-ROUTE APP::HOME))", "APP"),
      LISP(BY_PACKAGE, "(DEFTYPE APP::OCTET)", "APP"),
      LISP(BY_PACKAGE, "(LAMBDA :IN (DEFSETF (SETF APP::A)))", "APP"),
      LISP(BY_PACKAGE, "(LAMBDA :IN (LIB::DEFTEST \"a b\"))", "[no package]"),
      LISP(BY_PACKAGE, "(LAMBDA)", "[no package]"),
      LISP(BY_PACKAGE, "(TOP-LEVEL-FORM)", "[no package]"),
      LISP(BY_PACKAGE, "(LAMBDA :IN (LOAD \"a (b :IN C::D.lisp\"))",
           "[no package]"),
      LISP(BY_PACKAGE, "#:G12", "[no package]"),
      LISP(BY_PACKAGE, ":KEY", "KEYWORD"),
      LISP(BY_PACKAGE, "compute_area", "[C]"),
      LISP(BY_PACKAGE, "[signal handler]", "[signal handler]"),
      LISP(BY_PACKAGE, "", "[no package]"),
      LISP(BY_PACKAGE, "(", "[no package]"),
      LISP(BY_PACKAGE, ")", "[no package]"),
      LISP(BY_PACKAGE, "(METHOD", "[no package]"),
      LISP(BY_PACKAGE, "(METHOD (", "[no package]"),
      LISP(BY_PACKAGE, "(METHOD A::F (\"", "A"),
      LISP(BY_PACKAGE, "(LAMBDA :IN", "[no package]"),
      LISP(BY_PACKAGE, "(FLET (", "[no package]"),
      LISP(BY_PACKAGE, "\"", "[no package]"),
      {BY_PACKAGE, LANGUAGE_LISP, {"cl_list", "", 0, true}, "[runtime]"},
  };
  (void)state;
  check_names(cases, sizeof cases / sizeof cases[0]);
}

static void
lisp_classes(void **state)
{
  static const struct name_case cases[] = {
      LISP(BY_CLASS, "(METHOD APP::AREA (APP::SQUARE))",
           "(CLASS APP::SQUARE)"),
      LISP(BY_CLASS, "(METHOD APP::AREA :AROUND (T APP::SQUARE))",
           "(CLASS APP::SQUARE)"),
      LISP(BY_CLASS, "(METHOD (SETF APP::SIDE) (INTEGER APP::SQUARE))",
           "(CLASS INTEGER)"),
      LISP(BY_CLASS, "(METHOD APP::F ((EQL :X) STRING))", "(CLASS STRING)"),
      LISP(BY_CLASS, "(METHOD APP::F ((EQL (A B)) T))",
           "(METHOD APP::F ((EQL (A B)) T))"),
      LISP(BY_CLASS, "(METHOD APP::F NIL)", "(METHOD APP::F NIL)"),
      LISP(BY_CLASS, "(LAMBDA :IN (METHOD APP::F (APP::SQUARE)))",
           "(CLASS APP::SQUARE)"),
      LISP(BY_CLASS, "(FLET X :IN (LAMBDA :IN (METHOD F (|a b|::C))))",
           "(CLASS |a b|::C)"),
      LISP(BY_CLASS, "(LAMBDA :IN APP::MAIN)", "(LAMBDA :IN APP::MAIN)"),
      LISP(BY_CLASS, "APP::MAIN", "APP::MAIN"),
      LISP(BY_CLASS, "compute_area", "compute_area"),
      LISP(BY_CLASS, "[libm.so.6]", "[libm.so.6]"),
  };
  (void)state;
  check_names(cases, sizeof cases / sizeof cases[0]);
}

static void
names_of_other_languages(void **state)
{
  static const struct name_case cases[] = {
      C(BY_PACKAGE, "main", "[C]"),
      C(BY_PACKAGE, "parse(char const*)", "[C]"),
      C(BY_PACKAGE, "app::parse(char const*)", "app"),
      C(BY_PACKAGE, "std::vector<a::b, std::allocator<a::b> >::push_back(x)",
        "std"),
      C(BY_PACKAGE, "void app::grow<int>(std::x<int>&)", "app"),
      C(BY_PACKAGE, "(anonymous namespace)::f(int)", "(anonymous namespace)"),
      C(BY_PACKAGE, "[libc.so.6]", "[libc.so.6]"),
      C(BY_CLASS, "main", "main"),
      C(BY_CLASS, "app::Widget::draw(int) const", "app::Widget"),
      C(BY_CLASS, "app::Widget::operator()(int)", "app::Widget"),
      C(BY_CLASS, "app::Widget::operator<<(int)", "app::Widget"),
      C(BY_CLASS, "app::Widget::operator app::Other()", "app::Widget"),
      C(BY_CLASS, "operator new(unsigned long)",
        "operator new(unsigned long)"),
      C(BY_CLASS, "app::operators::f()", "app::operators"),
      C(BY_CLASS, "std::map<int, a::b>::find(int const&)",
        "std::map<int, a::b>"),
      C(BY_CLASS, "Widget::~Widget()", "Widget"),
      GO(BY_PACKAGE, "main.main", "main"),
      GO(BY_PACKAGE, "github.com/x/y.z/json.(*Decoder).Decode",
         "github.com/x/y.z/json"),
      GO(BY_PACKAGE, "slices.Sort[go.shape.[]a/b.C]", "slices"),
      GO(BY_CLASS, "encoding/json.(*Decoder).Decode",
         "encoding/json.(*Decoder)"),
      GO(BY_CLASS, "net/url.Values.Encode", "net/url.Values"),
      GO(BY_CLASS, "main.main.func1", "main.main.func1"),
      GO(BY_CLASS, "main.main", "main.main"),
      GO(BY_CLASS, "nowhere", "nowhere"),
  };
  (void)state;
  check_names(cases, sizeof cases / sizeof cases[0]);
}

/* Names may be cut anywhere, or be no names at all.  Each part of these has a
 * group, and none is read beyond its end, which the sanitizers would tell. */
static void
names_cut_short(void **state)
{
  static const char *const names[] = {
      "(LABELS A::F :IN (LAMBDA :IN (METHOD (SETF B::G) :AROUND (T B::C))))",
      "(LAMBDA :IN (LOAD \"a \\\" (b :IN C::D.lisp\"))",
      "|odd (package|::|F \\| G|",
      "(METHOD A::F ((EQL #\\() B::C))",
      "void app::grow<std::x<int> >::operator()(std::x<int>&) const",
      "(anonymous namespace)::f(int)",
      "github.com/x/y.z/json.(*Decoder).Decode[go.shape.[]a/b.C]",
      "))))((((\"\"\"\\\\||||::::....[[<<>>",
  };
  (void)state;
  for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
    for (size_t length = 1; length <= strlen(names[i]); length++)
      for (int variant = 0; variant < 4 * BY_CLASS + 4; variant++) {
        char *name = strndup(names[i], length);
        struct sink_string text = {0};
        struct sink sink;
        sink_init(&sink, sink_write_string, &text);
        group_name_write((enum granularity)(variant / 4),
                         variant % 2 == 0 ? LANGUAGE_LISP : LANGUAGE_C,
                         &(struct group_source){
                             name, variant % 4 < 2 ? "" : "x.go", 7, false},
                         &sink);
        assert_true(sink_flush(&sink));
        assert_true(text.length > 0);
        free(text.text);
        free(name);
      }
}

static void
places(void **state)
{
  static const struct name_case cases[] = {
      {BY_FILE, LANGUAGE_LISP, {"F", "a/b.lisp", 7, false}, "a/b.lisp"},
      {BY_FILE, LANGUAGE_LISP, {"F", "", 0, false}, "[no file]"},
      {BY_FILE, LANGUAGE_LISP, {"list", "[runtime]", 0, true}, "[runtime]"},
      {BY_FILE, LANGUAGE_C, {"[libc.so.6]", "", 0, false}, "[libc.so.6]"},
      {BY_LINE, LANGUAGE_LISP, {"F", "a/b.lisp", 7, false}, "F a/b.lisp:7"},
      {BY_LINE, LANGUAGE_LISP, {"F", "a/b.lisp", 0, false}, "F a/b.lisp"},
      {BY_LINE, LANGUAGE_LISP, {"F", "", 7, false}, "F"},
      {BY_LINE, LANGUAGE_LISP, {"list", "[runtime]", 0, true}, "list"},
      {BY_FUNCTION, LANGUAGE_LISP, {"F", "a/b.lisp", 7, false}, "F"},
  };
  (void)state;
  check_names(cases, sizeof cases / sizeof cases[0]);
}

/* Packages of example_packages:
 *
 *   160  APP, CL-PPCRE, COMMON-LISP, APP   (MATCH in SCAN is one step)
 *    80  APP, COMMON-LISP
 *    32  CL-PPCRE, APP
 *
 * A package counts once on a path: APP 160 + 80 + 32, CL-PPCRE 160 + 32,
 * COMMON-LISP 160 + 80.  Calls: APP 1 (MAIN, no caller) + 9 (HANDLE by
 * MAPCAR)
 * + 2 (HANDLE by MATCH); CL-PPCRE 4 (SCAN by PARSE) + 2 (MATCH, no caller);
 * COMMON-LISP 6 (MAPCAR) + 5 (LIST).  PARSE by MAIN (3), MATCH by SCAN (7)
 * and MATCH by MATCH (8) are calls within a package.
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
      cmocka_unit_test(lisp_packages),
      cmocka_unit_test(lisp_classes),
      cmocka_unit_test(names_of_other_languages),
      cmocka_unit_test(names_cut_short),
      cmocka_unit_test(places),
      cmocka_unit_test(graph_of_packages),
      cmocka_unit_test(hidden_frames_and_packages),
      cmocka_unit_test(focus_is_on_functions),
      cmocka_unit_test(chains_without_functions),
      cmocka_unit_test(groups_called_like_functions),
      cmocka_unit_test(lines_and_files),
      cmocka_unit_test(lines_of_functions),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
