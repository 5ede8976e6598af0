/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* A condition is an instance, made with lists of initargs. */

#include "advice/rules.h"

const struct advice_rule rule_condition = {
    .name = "condition",
    .grade = GRADE_CHECK,
    .called = NAMES("ERROR", "SIGNAL", "WARN", "CERROR"),
    .objects = "objects",
    .fault = "signals conditions",
    .remedy = "Where this is not rare, tell the caller by a second value, "
              "or leave by CATCH and THROW, or by RETURN-FROM within a "
              "function: these cons nothing.",
    .example = "(error 'not-found) => (return-from find-it (values nil nil))",
    .unknown = "whether the conditions are rare in the end",
};
