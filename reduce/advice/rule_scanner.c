/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* CREATE-SCANNER of CL-PPCRE, called at run time. */

#include "advice/rules.h"

const struct advice_rule rule_scanner = {
    .name = "scanner",
    .grade = GRADE_CHECK,
    .through = NAMES("CL-PPCRE:CREATE-SCANNER",
                     "(METHOD CL-PPCRE:CREATE-SCANNER (STRING))",
                     "(METHOD CL-PPCRE:CREATE-SCANNER (T))"),
    .package = "CL-PPCRE",
    .objects = "objects",
    .fault = "makes a CL-PPCRE scanner each time",
    .remedy = "Pass the pattern as a constant string, or make the scanner "
              "once, with LOAD-TIME-VALUE or in a DEFPARAMETER, and pass "
              "that.",
    .example = "(scan pattern text) => (scan (load-time-value "
               "(create-scanner \"a+\")) text)",
    .unknown = "whether the pattern is the same each time",
};
