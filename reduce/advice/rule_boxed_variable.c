/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* A local variable has an object when a closure or a local function uses it,
 * or when it is of no type of C.
 */

#include "advice/boxes.h"
#include "advice/rules.h"

const struct advice_rule rule_boxed_variable = {
    .name = "boxed-variable",
    .grade = GRADE_CHECK,
    .called = FLOATS_FOR("variable"),
    .objects = "floats",
    .fault = "boxes floats of known type for local variables",
    .remedy =
        "Declare the type of the variable, and start with a float instead of "
        "NIL or 0. No declaration helps if a closure or a local function "
        "sets the variable: write a loop instead of the closure, or keep a "
        "typed array of one element in the variable.",
    .example = "(let ((sum 0d0)) (mapc (lambda (x) (setf sum (+ sum x))) l)) "
               "=> (dolist (x l) (setf sum (+ sum x)))",
    .unknown =
        "which variable it is, and whether it needs an object elsewhere",
};
