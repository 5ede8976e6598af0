/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* STRING-UPCASE and its like make a copy. */

#include "advice/rules.h"

const struct advice_rule rule_string_case = {
    .name = "string-case",
    .grade = GRADE_CHECK,
    .called = NAMES("STRING-UPCASE", "STRING-DOWNCASE", "STRING-CAPITALIZE"),
    .objects = "strings",
    .fault = "makes strings in another case",
    .remedy = "To compare, use STRING-EQUAL or CHAR-EQUAL, and "
              "EQUALP for the test of a hash table. To print, bind "
              "*PRINT-CASE* or write characters. A string of its "
              "own may be changed by NSTRING-UPCASE.",
    .example = "(string= (string-upcase a) (string-upcase b)) => "
               "(string-equal a b)",
    .unknown = "where the string goes",
};
