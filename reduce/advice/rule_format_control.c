/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* FORMAT parses control strings at run time. */

#include "advice/rules.h"

const struct advice_rule rule_format_control = {
    .name = "format-control",
    .grade = GRADE_CERTAIN,
    .called = NAMES("FORMAT", "APPLY"),
    .through = NAMES("SI::TOKENIZE-CONTROL-STRING"),
    /* the control string of what prints an object, or of ~? */
    .without = NAMES("SI:WRITE-OBJECT", "SI::INTERPRET-DIRECTIVE-LIST"),
    .objects = "objects",
    .fault = "calls FORMAT, which parses the control string each time",
    .remedy = "Pass a function instead of the string: FORMATTER parses it at "
              "compile time.",
    .example = "(format s \"~a~%\" x) => (format s (load-time-value "
               "(formatter \"~a~%\")) x)",
    .unknown = "whether the string is a constant, and what the function "
               "conses itself: a list of its arguments for ~*, ~#, ~@{ and "
               "~[, and objects for ~? and ~:>",
};

/* Directives with others in them, and some more, are parsed again when their
 * turn comes. */
const struct advice_rule rule_format_directive = {
    .grade = GRADE_CERTAIN,
    .called = NAMES("FORMAT", "APPLY"),
    .through = NAMES("SI::INTERPRET-DIRECTIVE-LIST"),
    /* not what comes out, which the function makes as well */
    .without = NAMES("SI:WRITE-OBJECT", "GET-OUTPUT-STREAM-STRING"),
    .leaf = NAMES("(LAMBDA :IN (LOAD \"FORMAT.LSP\"))",
                  "SI::PARSE-CONDITIONAL-DIRECTIVE",
                  "SI::PARSE-FORMAT-JUSTIFICATION", "ecl_subseq",
                  "ecl_make_cfun", "ecl_make_cfun_va"),
};
