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
    .remedy = "Declaim the function that is called INLINE before its DEFUN, "
              "declare a local one INLINE, or write a macro. What cannot be "
              "inlined can get the typed array that has the float. FTYPE "
              "does not help. ECL 24.5.10 boxes constants, too, at each "
              "call: pass the value of a DEFVAR.",
    .example = "(defun f (x) ...) => (declaim (inline f)) (defun f (x) ...)",
    .unknown =
        "which argument it is, and whether the function can be inlined",
};
