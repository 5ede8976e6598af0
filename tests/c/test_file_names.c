/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Functions that are named after files of one name are told apart. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "attempting.h"
#include "analysis/frames.h"

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
static void
octets_of_a_name(void **state)
{
  static const char *const written[][2] = {
      {"/a/\\xe9.so", "/a/\xe9.so"}, {"/a/\\xE9", "/a/\xe9"},
      {"\\x-f", "\\x-f"},           {"\\x +9", "\\x +9"},
      {"\\x0x9", "\\x0x9"},         {"\\x41", "\\x41"},
      {"\\xe", "\\xe"},             {"\\x", "\\x"}};
  (void)state;
  for (size_t i = 0; i < sizeof written / sizeof written[0]; i++)
    assert_string_equal(names_bytes(written[i][0]), written[i][1]);
}

static void
files_of_one_name(void **state)
{
  (void)state;
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

int
main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(files_of_one_name),
      cmocka_unit_test(octets_of_a_name),
  };
  return RUN_IN_ATTEMPT(tests, NULL, NULL);
}
