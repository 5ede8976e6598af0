/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* FORMAT NIL writes to a string stream of its own. */

#include "advice/rules.h"

const struct advice_rule rule_format_string = {
    .name = "format-string",
    .grade = GRADE_CERTAIN,
    .saving = SAVES_ALL_BUT_ONE,
    .called = NAMES("FORMAT"),
    .through = NAMES("SI:MAKE-STRING-OUTPUT-STREAM-FROM-STRING",
                     "ecl_alloc_adjustable_extended_string"),
    /* where directives are at work, which may need streams of their own */
    .without = NAMES("SI:FORMATTER-AUX"),
    .counted = NAMES("STRING-STREAM"),
    .objects = "string streams",
    .fault = "calls FORMAT NIL, which makes a string stream each time",
    .remedy = "Format to one string stream that is kept, and fetch its "
              "contents with GET-OUTPUT-STREAM-STRING.",
    .example = "(format nil \"~d\" n) => (progn (format s \"~d\" n) "
               "(get-output-stream-string s))",
    .unknown = "whether two of these strings are written at the "
               "same time",
};
