/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* ECL keeps what it has computed in a variable of its own, as an object. */

#include "advice/boxes.h"
#include "advice/rules.h"

const struct advice_rule rule_boxed_temporary = {
    .name = "boxed-temporary",
    .grade = GRADE_CHECK,
    .called = FLOATS_FOR("temporary"),
    .objects = "floats",
    .fault = "boxes floats of known type between operations",
    .remedy =
        "Set a typed variable to each result: within the form that binds a "
        "special variable, and in ECL 24.5.10 for each of nested operations "
        "and for each element of an array that is an operand. There bind by "
        "LET* what is computed: LET of several variables boxes it.",
    .example = "(setf y (* (+ a b) c)) => (setf y (+ a b) y (* y c))",
    .unknown = "whether the result goes to a function that needs an object, "
               "as ABS and FLOOR do",
};
