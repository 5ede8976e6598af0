/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Lists and general arrays have objects as elements. */

#include "advice/boxes.h"
#include "advice/rules.h"

const struct advice_rule rule_boxed_element = {
    .name = "boxed-element",
    .grade = GRADE_CHECK,
    .called = FLOATS_FOR("element"),
    .objects = "floats",
    .fault = "boxes floats of known type as elements",
    .remedy =
        "Use an array with that element type instead of the list or the "
        "general array, and declare its type where its variable is bound. "
        "The float is boxed on its way into the array if the declaration is "
        "missing or stands further in. VECTOR-PUSH-EXTEND always boxes it. "
        "In ECL 24.5.10, assign the result to a typed variable first, then "
        "store that variable in the array.",
    .example = "(setf (svref v i) x) => (setf (aref (the (simple-array "
               "double-float (*)) v) i) x)",
    .unknown = "whether the code that reads the elements needs objects",
};
