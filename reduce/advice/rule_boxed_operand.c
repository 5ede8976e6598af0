/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* A function of the runtime computes where the types of the operands, or
 * SAFETY, do not allow C to.
 */

#include "advice/boxes.h"
#include "advice/rules.h"

const struct advice_rule rule_boxed_operand = {
    .name = "boxed-operand",
    .grade = GRADE_CHECK,
    .called = FLOATS_FOR("arithmetic"),
    .objects = "floats",
    .fault = "boxes floats of known type as operands",
    .remedy =
        "Declare the types of the other operands too, with typed variables, "
        "and compile with (OPTIMIZE (SAFETY 0)). FLOOR and similar "
        "functions, ABS, EXPT, and SQRT of a number that can be negative are "
        "not computed in C even then: call C with FFI:C-INLINE.",
    .example = "(< x *limit*) => (let ((limit *limit*)) (declare "
               "(double-float limit)) (< x limit))",
    .unknown = "which operand it is",
};
