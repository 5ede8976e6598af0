/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* FORMAT parses control strings at run time. */

#include "advice/rules.h"

const struct advice_rule rule_format_control = {
    .name = "format-control",
    .grade = GRADE_CERTAIN,
    .called = NAMES("FORMAT", "APPLY"),
    .through = NAMES("SI::TOKENIZE-CONTROL-STRING"),
    /* the control string of what prints an object */
    .without = NAMES("SI:WRITE-OBJECT"),
    .objects = "objects",
    .fault = "has FORMAT parse the control string each time",
    .remedy = "Give a function in its place: FORMATTER parses it "
              "when the program is compiled.",
    .example = "(format s \"~a~%\" x) => (format s (load-time-value "
               "(formatter \"~a~%\")) x)",
    .unknown = "whether the string is a constant",
};
