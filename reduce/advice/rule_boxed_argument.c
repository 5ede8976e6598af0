/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Functions get objects, whatever types are proclaimed. */

#include "advice/boxes.h"
#include "advice/rules.h"

const struct advice_rule rule_boxed_argument = {
    .name = "boxed-argument",
    .grade = GRADE_CHECK,
    .called = FLOATS_FOR("argument"),
    .objects = "floats",
    .fault = "boxes floats of known type as arguments",
    .remedy =
        "Declaim the called function INLINE before its DEFUN, declare a "
        "local function INLINE, or write a macro. If a function cannot be "
        "inlined, pass it the typed array that holds the float. FTYPE does "
        "not help. ECL 24.5.10 also boxes a constant at each call: pass the "
        "value of a DEFVAR instead.",
    .example = "(defun f (x) ...) => (declaim (inline f)) (defun f (x) ...)",
    .unknown =
        "which argument it is, and whether the function can be inlined",
};
