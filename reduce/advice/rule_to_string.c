/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* PRINC-TO-STRING and its like print to a string stream of their own. */

#include "advice/rules.h"

const struct advice_rule rule_to_string = {
    .name = "to-string",
    .grade = GRADE_CERTAIN,
    .saving = SAVES_ALL_BUT_ONE,
    .called = NAMES("PRINC-TO-STRING", "PRIN1-TO-STRING", "WRITE-TO-STRING"),
    .below =
        NAMES("MAKE-STRING-OUTPUT-STREAM", "ecl_make_string_output_stream"),
    .counted = NAMES("STRING-STREAM"),
    .objects = "string streams",
    .fault = "has PRINC-TO-STRING or the like make string streams",
    .remedy = "Print to the stream that the string goes to, or to "
              "one string stream that is kept, and take what is in "
              "it with GET-OUTPUT-STREAM-STRING.",
    .example = "(write-string (princ-to-string n) out) => (princ n "
               "out)",
    .unknown = "where the string goes",
};
