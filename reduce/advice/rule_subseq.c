/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* A part of a sequence is a copy. */

#include "advice/rules.h"

const struct advice_rule rule_subseq = {
    .name = "subseq",
    .grade = GRADE_CHECK,
    .called = NAMES("SUBSEQ", "ecl_subseq", "STRING-TRIM", "STRING-LEFT-TRIM",
                    "STRING-RIGHT-TRIM"),
    .objects = "objects",
    .fault = "copies parts of sequences",
    .remedy =
        "Pass :START and :END to the function that gets the part: "
        "PARSE-INTEGER, READ-FROM-STRING, STRING=, POSITION, SEARCH, REPLACE "
        "and WRITE-STRING accept them. A displaced array is an object too. "
        "In ECL it is smaller than a copy only for long parts.",
    .example = "(parse-integer (subseq text 3)) => (parse-integer "
               "text :start 3)",
    .unknown = "whether the part is kept",
};
