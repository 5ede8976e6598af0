/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* EVAL compiles a form to byte codes each time. */

#include "advice/rules.h"

const struct advice_rule rule_eval = {
    .name = "eval",
    .grade = GRADE_CHECK,
    .called = NAMES("EVAL"),
    .objects = "objects",
    .fault = "calls EVAL, which compiles the form each time",
    .remedy = "Call the function directly: use FUNCALL or APPLY with the "
              "arguments, or SYMBOL-VALUE for a variable. If forms come from "
              "outside, COMPILE each one once, as a function, and keep that "
              "function.",
    .example = "(eval `(f ,x)) => (funcall 'f x)",
    .unknown = "whether the forms are the same each time",
};
