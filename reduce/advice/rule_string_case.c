/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* STRING-UPCASE and its like make a copy. */

#include "advice/rules.h"

const struct advice_rule rule_string_case = {
    .name = "string-case",
    .grade = GRADE_CHECK,
    .called = NAMES("STRING-UPCASE", "STRING-DOWNCASE", "STRING-CAPITALIZE"),
    .objects = "strings",
    .fault = "copies strings to change their case",
    .remedy =
        "To compare, use STRING-EQUAL or CHAR-EQUAL, or EQUALP as the test "
        "of a hash table. To print, bind *PRINT-CASE* or write characters. "
        "If nothing else refers to the string, use NSTRING-UPCASE.",
    .example = "(string= (string-upcase a) (string-upcase b)) => "
               "(string-equal a b)",
    .unknown = "where the string goes",
};
