/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Which names are those of ECL's own functions. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "attempting.h"
#include "common/system_functions.h"

static void
names_of_ecl(void **state)
{
  static const char *const names[] = {
      "MAPCAR",
      "LIST*",
      "1+",
      "SI:MAKE-VECTOR",
      "SI::TOKENIZE-CONTROL-STRING",
      "(SETF GETHASH)",
      "(SETF EXT:GETENV)",
      "(METHOD MAKE-INSTANCE (CLASS))",
      "(METHOD INITIALIZE-INSTANCE :AROUND (T CLOS:STANDARD-CLASS (EQL 5)))",
      "(LAMBDA :IN CLOS::COMBINE-METHOD-FUNCTIONS)",
      "(LABELS SI::DO-GUTS :IN (LAMBDA))",
      "(MACRO-FUNCTION LAMBDA)",
      "LAMBDA",
      "SI::|odd: name|",
      "MPROF::CALL-COUNTING",
      "MPROF.BINDINGS::MONITOR-STOP",
  };
  (void)state;
  for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
    if (!is_system_function(names[i], "/home/app.lisp"))
      fail_msg("%s", names[i]);
}

static void
other_names(void **state)
{
  static const char *const names[] = {
      "",
      "(",
      "APP::MAIN",
      "CL-USER::LIST",
      "MYSI::F",
      "SIX:F",
      "|SI|:F", /* nobody writes it so */
      "|si|::F",
      "#:G12",
      "|mapcar|",
      "(LAMBDA)",
      "(TOP-LEVEL-FORM)",
      "(LAMBDA :IN APP::MAIN)",
      "(FLET LIST :IN APP::MAIN)",
      "(FLET |a;SI:b\\|c d| :IN PARSE)",
      "(SETF APP::SIZE)",
      "(METHOD PRINT-OBJECT (APP::WIDGET T))",
      "(METHOD APP::AREA (INTEGER))",
      "(MACRO-FUNCTION APP::WITH-IT)",
      "(LABELS APP::STEP :IN (LAMBDA))",
      "qsort",
      "cl_list",
      "[over the budget]",
      "APP::|a b",
      "\\",
  };
  (void)state;
  for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
    if (is_system_function(names[i], "/home/app.lisp"))
      fail_msg("%s", names[i]);
}

/* What ECL's files define is ECL's, whatever the name. */
static void
functions_of_system_files(void **state)
{
  static const char *const names[] = {
      "(LAMBDA :IN (LOAD \"FORMAT.LSP\"))",
      "(LOAD \"a \\\"b(\")",
      "#:PPRINT-LOGICAL-BLOCK-592",
      "(LAMBDA)",
  };
  (void)state;
  for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
    if (!is_system_function(names[i], "SRC:LSP;FORMAT.LSP.NEWEST") ||
        !is_system_function(names[i], "SYS:MPROF;REPORT.LISP.NEWEST") ||
        is_system_function(names[i], "/home/format.lsp") ||
        is_system_function(names[i], ""))
      fail_msg("%s", names[i]);
}

int
main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(names_of_ecl),
      cmocka_unit_test(other_names),
      cmocka_unit_test(functions_of_system_files),
  };
  return RUN_IN_ATTEMPT(tests, NULL, NULL);
}
