/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* What names say: whether they are functions', what groups --by puts them in,
 * which are ECL's own, and how files of one name are told apart. */

#include "analysis/frames.h"
#include "common/system_functions.h"
#include "attempting.h"

TEST(names_of_functions)
{
  static const char *const named[] = {
      "MAPCAR",   "CL-USER::[X]",
      "(LAMBDA)", "(METHOD F ([A]))",
      "qsort",    "[",
      "SI::|0x|", "(TOP-LEVEL-FORM)",
      "x]",
  };
  static const char *const nameless[] = {
      "",          "[libfoo.so.1]",    "[]",     "[over the budget]",
      "[unknown]", "[signal handler]", "0x1000", "(OUT-OF-MEMORY)",
  };
  for (size_t i = 0; i < sizeof named / sizeof named[0]; i++)
    if (!is_function_name(named[i]))
      fail_msg("%s", named[i]);
  for (size_t i = 0; i < sizeof nameless / sizeof nameless[0]; i++)
    if (is_function_name(nameless[i]))
      fail_msg("%s", nameless[i]);
}

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
    struct string_sink string;
    string_sink_init(&string);
    group_name_write(cases[i].by, cases[i].language, &cases[i].source,
                     &string.sink);
    const char *group = string_sink_text(&string);
    if (strcmp(group, cases[i].group) != 0)
      fail_msg("%s: %s, not %s", cases[i].source.name, group, cases[i].group);
  }
}

#define NAME(by, language, file, name, group)                                \
  {                                                                          \
    by, language, {name, file, 0, false}, group                              \
  }
#define LISP(name, group) NAME(BY_PACKAGE, LANGUAGE_LISP, "", name, group)
#define CLASS(name, group) NAME(BY_CLASS, LANGUAGE_LISP, "", name, group)
#define C(name, group) NAME(BY_PACKAGE, LANGUAGE_C, "", name, group)
#define C_CLASS(name, group) NAME(BY_CLASS, LANGUAGE_C, "", name, group)
#define GO(name, group) NAME(BY_PACKAGE, LANGUAGE_C, "x.go", name, group)
#define GO_CLASS(name, group) NAME(BY_CLASS, LANGUAGE_C, "x.go", name, group)

TEST(lisp_packages)
{
  static const struct name_case cases[] = {
      LISP("APP::MAIN", "APP"),
      LISP("MAPCAR", "COMMON-LISP"),
      LISP("SI:MAKE-VECTOR", "SI"),
      LISP("|odd (package|::|F G|", "|odd (package|"),
      LISP("APP::|a::b|", "APP"),
      LISP("(SETF APP::SIZE)", "APP"),
      LISP("(MACRO-FUNCTION APP::WITH-IT)", "APP"),
      LISP("(LAMBDA :IN APP::MAIN)", "APP"),
      LISP("(FLET LIST :IN APP::MAIN)", "APP"),
      LISP("(LABELS A::F :IN (LAMBDA :IN (SETF B::G)))", "B"),
      LISP("(METHOD (SETF APP::AREA) :AROUND (T INTEGER))", "APP"),
      LISP("(METHOD PRINT-OBJECT (APP::WIDGET T))", "APP"),
      LISP("(METHOD CLOS:SLOT-VALUE-USING-CLASS (A::M T T))", "A"),
      LISP("(METHOD A::F (B::C))", "A"),
      LISP("(METHOD INITIALIZE-INSTANCE :AFTER (T (EQL A::B)))",
           "COMMON-LISP"),
      LISP("(LAMBDA :IN (METHOD PRINT-OBJECT (APP::WIDGET T)))", "APP"),
      LISP("(LAMBDA :IN (DEFVAR APP::*X*))", "APP"),
      LISP("(FLET A::F :IN (LIB:DEFINE-ROUTE APP::HOME))", "APP"),
      LISP("(LAMBDA :IN (DEFSETF (SETF APP::A)))", "APP"),
      LISP("(LAMBDA :IN (LIB::DEFTEST \"a b\"))", "[no package]"),
      LISP("(LAMBDA)", "[no package]"),
      LISP("(TOP-LEVEL-FORM)", "[no package]"),
      LISP("profiled body", "[no package]"),
      LISP("(LAMBDA :IN (LOAD \"a (b :IN C::D.lisp\"))", "[no package]"),
      LISP("#:G12", "[no package]"),
      LISP(":KEY", "KEYWORD"),
      LISP("compute_area", "[C]"),
      LISP("[signal handler]", "[signal handler]"),
      LISP("", "[no package]"),
      LISP("(", "[no package]"),
      LISP("(METHOD (", "[no package]"),
      LISP("(METHOD A::F (\"", "A"),
      LISP("\"", "[no package]"),
      {BY_PACKAGE, LANGUAGE_LISP, {"cl_list", "", 0, true}, "[runtime]"},
  };
  check_names(cases, sizeof cases / sizeof cases[0]);
}

TEST(lisp_classes)
{
  static const struct name_case cases[] = {
      CLASS("(METHOD APP::AREA (APP::SQUARE))", "(CLASS APP::SQUARE)"),
      CLASS("(METHOD APP::AREA :AROUND (T APP::SQUARE))",
            "(CLASS APP::SQUARE)"),
      CLASS("(METHOD (SETF APP::SIDE) (INTEGER APP::SQUARE))",
            "(CLASS INTEGER)"),
      CLASS("(METHOD APP::F ((EQL :X) STRING))", "(CLASS STRING)"),
      CLASS("(METHOD APP::F ((EQL (A B)) T))",
            "(METHOD APP::F ((EQL (A B)) T))"),
      CLASS("(METHOD APP::F NIL)", "(METHOD APP::F NIL)"),
      CLASS("(LAMBDA :IN (METHOD APP::F (APP::SQUARE)))",
            "(CLASS APP::SQUARE)"),
      CLASS("(FLET X :IN (LAMBDA :IN (METHOD F (|a b|::C))))",
            "(CLASS |a b|::C)"),
      CLASS("(LAMBDA :IN APP::MAIN)", "(LAMBDA :IN APP::MAIN)"),
      CLASS("[libm.so.6]", "[libm.so.6]"),
  };
  check_names(cases, sizeof cases / sizeof cases[0]);
}

TEST(names_of_other_languages)
{
  static const struct name_case cases[] = {
      C("main", "[C]"),
      C("parse(char const*)", "[C]"),
      C("app::parse(char const*)", "app"),
      C("std::vector<a::b, std::allocator<a::b> >::push_back(x)", "std"),
      C("void app::grow<int>(std::x<int>&)", "app"),
      C("(anonymous namespace)::f(int)", "(anonymous namespace)"),
      C_CLASS("app::Widget::draw(int) const", "app::Widget"),
      C_CLASS("app::Widget::operator()(int)", "app::Widget"),
      C_CLASS("app::Widget::operator app::Other()", "app::Widget"),
      C_CLASS("operator new(unsigned long)", "operator new(unsigned long)"),
      C_CLASS("app::operators::f()", "app::operators"),
      C_CLASS("std::map<int, a::b>::find(int const&)", "std::map<int, a::b>"),
      C_CLASS("Widget::~Widget()", "Widget"),
      GO("main.main", "main"),
      GO("github.com/x/y.z/json.(*Decoder).Decode", "github.com/x/y.z/json"),
      GO("slices.Sort[go.shape.[]a/b.C]", "slices"),
      GO_CLASS("encoding/json.(*Decoder).Decode", "encoding/json.(*Decoder)"),
      GO_CLASS("net/url.Values.Encode", "net/url.Values"),
      GO_CLASS("main.main.func1", "main.main.func1"),
      GO_CLASS("nowhere", "nowhere"),
  };
  check_names(cases, sizeof cases / sizeof cases[0]);
}

TEST(runtime_of_cxx)
{
  static const char *const runtime[] = {
      "std::vector<int, std::allocator<int> >::push_back(int const&)",
      "void std::sort<int*, main::{lambda(int, int)#1}>(int*, int*)",
      ("std::ostream& std::operator<< <std::char_traits<char> "
       ">(std::ostream&)"),
      "std::function<void (int)>::operator()(int) const",
      "std::_Function_handler<void (), app::f()::{lambda()#1}>::_M_invoke()",
      "std::thread::_State_impl<app::task>::_M_run()",
      "__gnu_cxx::new_allocator<int>::allocate(unsigned long, void const*)",
      "operator new(unsigned long)",
      "operator new[](unsigned long, std::align_val_t)",
      "__cxa_allocate_exception",
  };
  static const char *const others[] = {
      "main",
      "app::fill(std::vector<int, std::allocator<int> >&)",
      "std::vector<int, std::allocator<int> > app::made<int>(int)",
      "std::vector<int, std::allocator<int> > made<int>(int)",
      "main::{lambda(std::string)#1}::operator()(std::string) const",
      "app::thing::operator new(unsigned long)",
      "app::operator<<(std::ostream&, app::thing const&)",
      "app::thing::operator std::string() const",
      "(anonymous namespace)::std_like()",
      "stdout_write",
      "[libstdc++.so.6+0xa5780]",
      "operator() [std.cc:14]",
  };
  for (size_t i = 0; i < sizeof runtime / sizeof runtime[0]; i++)
    if (!is_cxx_runtime(runtime[i], ""))
      fail_msg("%s is of the runtime", runtime[i]);
  for (size_t i = 0; i < sizeof others / sizeof others[0]; i++)
    if (is_cxx_runtime(others[i], "src/std.cc"))
      fail_msg("%s is not of the runtime", others[i]);
  assert_true(is_cxx_runtime("allocate<int>",
                             "/usr/include/c++/12/bits/alloc_traits.h"));
}

/* Names may be cut anywhere, or be no names at all.  Each part of these has a
 * group, and none is read beyond its end, which the sanitizers would tell. */
TEST(names_cut_short)
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
  for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
    for (size_t length = 1; length <= strlen(names[i]); length++)
      for (int variant = 0; variant < 4 * BY_CLASS + 4; variant++) {
        char *name = strndup(names[i], length);
        struct string_sink string;
        string_sink_init(&string);
        group_name_write((enum granularity)(variant / 4),
                         variant % 2 == 0 ? LANGUAGE_LISP : LANGUAGE_C,
                         &(struct group_source){
                             name, variant % 4 < 2 ? "" : "x.go", 7, false},
                         &string.sink);
        assert_string_not_equal(string_sink_text(&string), "");
        free(name);
      }
}

TEST(places)
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
  check_names(cases, sizeof cases / sizeof cases[0]);
}

/* ---- ECL's own ---- */

TEST(names_of_ecl)
{
  static const char *const system[] = {
      "MAPCAR", "SI:MAKE-VECTOR", "SI::TOKENIZE-CONTROL-STRING",
      "(SETF GETHASH)",
      "(METHOD INITIALIZE-INSTANCE :AROUND (T CLOS:STANDARD-CLASS (EQL 5)))",
      "(LAMBDA :IN CLOS::COMBINE-METHOD-FUNCTIONS)",
      "(LABELS SI::DO-GUTS :IN (LAMBDA))", "(MACRO-FUNCTION LAMBDA)",
      "LAMBDA", "SI::|odd: name|", "MPROF::CALL-COUNTING",
      "MPROF.BINDINGS::MONITOR-STOP",
  };
  static const char *const others[] = {
      "", "(", "CL-USER::LIST", "SIX:F", "|SI|:F", "|si|::F", "#:G12",
      "|mapcar|", "(LAMBDA)", "(LAMBDA :IN APP::MAIN)",
      "(FLET LIST :IN APP::MAIN)", "(FLET |a;SI:b\\|c d| :IN PARSE)",
      "(SETF APP::SIZE)", "(METHOD PRINT-OBJECT (APP::WIDGET T))",
      "(MACRO-FUNCTION APP::WITH-IT)", "(LABELS APP::STEP :IN (LAMBDA))",
      "qsort", "[over the budget]", "APP::|a b", "\\",
  };
  for (size_t i = 0; i < sizeof system / sizeof system[0]; i++)
    if (!is_system_function(system[i], "/home/app.lisp"))
      fail_msg("%s", system[i]);
  for (size_t i = 0; i < sizeof others / sizeof others[0]; i++)
    if (is_system_function(others[i], "/home/app.lisp"))
      fail_msg("%s", others[i]);
}

/* What ECL's files define is ECL's, whatever the name. */
TEST(functions_of_system_files)
{
  static const char *const names[] = {
      "(LAMBDA :IN (LOAD \"FORMAT.LSP\"))", "(LOAD \"a \\\"b(\")",
      "#:PPRINT-LOGICAL-BLOCK-592", "(LAMBDA)",
  };
  for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
    if (!is_system_function(names[i], "SRC:LSP;FORMAT.LSP.NEWEST") ||
        !is_system_function(names[i], "SYS:MPROF;REPORT.LISP.NEWEST") ||
        is_system_function(names[i], "/home/format.lsp") ||
        is_system_function(names[i], ""))
      fail_msg("%s", names[i]);
}

/* ---- files of one name ---- */

enum { MOST = 5 };

struct file_case {
  struct {
    const char *name, *file;
    const char *shown; /* "" where the function is one before it */
  } functions[MOST];
};

static const struct file_case cases[] = {
    /* one file needs no folder */
    {{{"(LOAD \"x.lisp\")", "/home/a/x.lisp", "(LOAD \"x.lisp\")"},
      {"(LOAD \"y.lisp\")", "/home/a/y.lisp", "(LOAD \"y.lisp\")"},
      {"(LOAD \"x.lisp\")", "/home/a/x.lisp", ""}}},
    /* the shortest end that tells, for each of its own */
    {{{"(LOAD \"x.lisp\")", "/home/a/x.lisp", "(LOAD \"a/x.lisp\")"},
      {"(LOAD \"x.lisp\")", "/home/b/lib/x.lisp", "(LOAD \"b/lib/x.lisp\")"},
      {"(LOAD \"x.lisp\")", "/home/c/lib/x.lisp", "(LOAD \"c/lib/x.lisp\")"},
      {"(LAMBDA :IN (LOAD \"x.lisp\"))", "/home/a/x.lisp",
       "(LAMBDA :IN (LOAD \"x.lisp\"))"}}},
    {{{"(FLET F :IN (LOAD \"x.lisp\"))", "/a/x.lisp",
       "(FLET F :IN (LOAD \"a/x.lisp\"))"},
      {"(FLET F :IN (LOAD \"x.lisp\"))", "/b/x.lisp",
       "(FLET F :IN (LOAD \"b/x.lisp\"))"}}},
    /* a path that is the end of another; a folder is no part of a name */
    {{{"(LOAD \"x.lisp\")", "x.lisp", "(LOAD \"x.lisp\")"},
      {"(LOAD \"x.lisp\")", "/a/x.lisp", "(LOAD \"a/x.lisp\")"},
      {"(LOAD \"x.lisp\")", "/aa/x.lisp", "(LOAD \"aa/x.lisp\")"}}},
    /* as Lisp prints them */
    {{{"(LOAD \"x \\\"y\\\".lisp\")", "/q\"/x \"y\".lisp",
       "(LOAD \"q\\\"/x \\\"y\\\".lisp\")"},
      {"(LOAD \"x \\\"y\\\".lisp\")", "/b\\/x \"y\".lisp",
       "(LOAD \"b\\\\/x \\\"y\\\".lisp\")"}}},
    /* names that are not a file's: one function, whatever the files */
    {{{"APP::F", "/home/a/x.lisp", "APP::F"},
      {"APP::F", "/home/b/x.lisp", ""},
      {"(LAMBDA :IN (DEFVAR APP::*X*))", "/a/x.lisp",
       "(LAMBDA :IN (DEFVAR APP::*X*))"}}},
    /* a name that is cut short */
    {{{"(LOAD \"", "/a/x.lisp", "(LOAD \"a/x.lisp"},
      {"(LOAD \"", "/b/x.lisp", "(LOAD \"b/x.lisp"}}},
};

/* Octets of a file's name that are no UTF-8 are two digits in a table. */
TEST(octets_of_a_name)
{
  static const char *const written[][2] = {
      {"/a/\\xe9.so", "/a/\xe9.so"}, {"/a/\\xE9", "/a/\xe9"},
      {"\\x-f", "\\x-f"},           {"\\x +9", "\\x +9"},
      {"\\x0x9", "\\x0x9"},         {"\\x41", "\\x41"},
      {"\\xe", "\\xe"},             {"\\x", "\\x"}};
  struct names names;
  for (size_t i = 0; i < sizeof written / sizeof written[0]; i++)
    assert_string_equal(names_bytes(written[i][0]), written[i][1]);
  names_init(&names);
  assert_int_equal(names_find(&names, "/a/\xe9.so"), NAMES_NONE);
  assert_int_equal(names_intern(&names, "/a/\xe9.so"), 1);
  assert_int_equal(names_find(&names, "/a/\xe9.so"), 1);
  assert_int_equal(names_find(&names, "/a/\\xe9.so"), 1);
}

TEST(files_of_one_name)
{
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    struct profile profile;
    struct frame_table table;
    profile_init(&profile);
    for (size_t j = 0; j < MOST && cases[i].functions[j].name != NULL; j++) {
      struct profile_function function = {
          .name = names_intern(&profile.names, cases[i].functions[j].name),
          .file = names_intern(&profile.names, cases[i].functions[j].file),
      };
      profile_add_function(&profile, function);
    }
    frame_table_init(&table, &profile);
    size_t known = 0;
    for (size_t j = 0; j < MOST && cases[i].functions[j].name != NULL; j++)
      if (*cases[i].functions[j].shown != '\0')
        assert_string_equal(function_name(&table, known++),
                            cases[i].functions[j].shown);
    assert_int_equal(table.function_count, known);
  }
}

RUN_TESTS_IN_ATTEMPT(NULL, NULL)
