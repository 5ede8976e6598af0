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
        "Assign each result to a typed variable. Do so inside a form that "
        "binds a special variable, and in ECL 24.5.10 also for nested "
        "operations and for array elements that are operands. There, bind "
        "computed values with LET*: LET of several variables boxes them.",
    .example = "(setf y (* (+ a b) c)) => (setf y (+ a b) y (* y c))",
    .unknown = "whether the result goes to a function that needs an object, "
               "such as ABS or FLOOR",
};
