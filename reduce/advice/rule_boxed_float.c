/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* A typed float becomes an object where it leaves typed code. */

#include "advice/rules.h"

const struct advice_rule rule_boxed_float = {
    .name = "boxed-float",
    .grade = GRADE_CHECK,
    .direct = true,
    .types = NAMES("SINGLE-FLOAT", "DOUBLE-FLOAT", "LONG-FLOAT"),
    .objects = "floats",
    .fault = "boxes floats of known type",
    .remedy = "Keep them in typed variables, in arrays with that "
              "element type, or inline the function that they are "
              "passed to; at SAFETY 1 and more each operand of generic "
              "arithmetic is boxed, too, and in ECL 24.5.10 what is "
              "between nested operations: set a typed variable to each "
              "result.",
    .example = "(setf (svref v i) x) => (setf (aref (the (simple-"
               "array double-float (*)) v) i) x)",
    .unknown = "where the float goes: an argument, a value, a slot,"
               " an element or a special variable",
};
