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
    .remedy = "Use an array with that element type in place of the list or "
              "of the general array, and declare its type where its variable "
              "is bound: without, or with a declaration further in, the "
              "float is boxed on its way into the array, as it is for "
              "VECTOR-PUSH-EXTEND. In ECL 24.5.10 set a typed variable to "
              "what is computed, and the element to that variable.",
    .example = "(setf (svref v i) x) => (setf (aref (the (simple-array "
               "double-float (*)) v) i) x)",
    .unknown = "whether what reads the elements needs objects",
};
