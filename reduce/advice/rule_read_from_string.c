/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* READ-FROM-STRING makes a string stream, and the objects that it reads. */

#include "advice/rules.h"

const struct advice_rule rule_read_from_string = {
    .name = "read-from-string",
    .grade = GRADE_CHECK,
    .called = NAMES("READ-FROM-STRING"),
    .objects = "objects",
    .fault = "reads objects from strings",
    .remedy = "Read constants once. For an integer use PARSE-INTEGER. For "
              "many objects use READ on one stream for the whole text.",
    .example = "(read-from-string \"42\") => (parse-integer \"42\")",
    .unknown = "what the strings contain",
};
