/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The value of a special variable is an object. */

#include "advice/boxes.h"
#include "advice/rules.h"

const struct advice_rule rule_boxed_special = {
    .name = "boxed-special",
    .grade = GRADE_CHECK,
    .called = FLOATS_FOR("special"),
    .objects = "floats",
    .fault = "boxes floats of known type for special variables",
    .remedy =
        "Proclaiming the type of the variable does not help. Keep a typed "
        "array of one element in the variable, make it once, and set its "
        "element. A symbol macro lets the rest of the code stay as it is. Or "
        "compute with a local typed variable, and set the special variable "
        "once at the end.",
    .example = "(setf *x* x) => (setf (aref (the (simple-array double-float "
               "(1)) *x*) 0) x)",
    .unknown = "whether the code that reads the variable needs an object",
};
