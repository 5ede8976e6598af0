/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* PRINC-TO-STRING and its like print to a string stream of their own. */

#include "advice/rules.h"

const struct advice_rule rule_to_string = {
    .name = "to-string",
    .grade = GRADE_CERTAIN,
    .saving = SAVES_ALL_BUT_ONE,
    .called = NAMES("PRINC-TO-STRING", "PRIN1-TO-STRING", "WRITE-TO-STRING"),
    .through =
        NAMES("MAKE-STRING-OUTPUT-STREAM", "ecl_make_string_output_stream"),
    /* what prints may need a stream of its own */
    .without = NAMES("SI:WRITE-OBJECT"),
    .counted = NAMES("STRING-STREAM"),
    .objects = "string streams",
    .fault = "makes string streams in PRINC-TO-STRING or similar functions",
    .remedy = "Print to the stream that the string goes to, or to one string "
              "stream that is kept, and fetch its contents with "
              "GET-OUTPUT-STREAM-STRING.",
    .example = "(write-string (princ-to-string n) out) => (princ n "
               "out)",
    .unknown = "where the string goes",
};
