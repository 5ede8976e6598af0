/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Functions give back objects, whatever types are proclaimed. */

#include "advice/boxes.h"
#include "advice/rules.h"

const struct advice_rule rule_boxed_value = {
    .name = "boxed-value",
    .grade = GRADE_CHECK,
    .called = FLOATS_FOR("value"),
    .objects = "floats",
    .fault = "boxes floats of known type as values",
    .remedy =
        "Declaim the function INLINE before its DEFUN, or write a macro. "
        "Multiple values are boxed even then. Or let the function store the "
        "result in a typed array that the caller passes. FTYPE does not "
        "help. For the value of CATCH or UNWIND-PROTECT, set a typed "
        "variable inside the form.",
    .example = "(defun f (x) (* x 2d0)) => (declaim (inline f)) (defun f (x) "
               "(* x 2d0))",
    .unknown = "whether the caller needs an object",
};
