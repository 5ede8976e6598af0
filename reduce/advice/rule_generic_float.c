/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* ECL computes with C numbers where the types of all operands are declared
 * and SAFETY is 0; else a function of the runtime does, which gives back a
 * float on the heap.
 */

#include "advice/rules.h"

const struct advice_rule rule_generic_float = {
    .name = "generic-float",
    .grade = GRADE_CHECK,
    .called = NAMES("ecl_plus", "ecl_minus", "ecl_times", "ecl_divide",
                    "ecl_negate", "ecl_one_plus", "ecl_one_minus", "REDUCE",
                    "APPLY"),
    .through = NAMES("ecl_plus", "ecl_minus", "ecl_times", "ecl_divide",
                     "ecl_negate", "ecl_one_plus", "ecl_one_minus"),
    .types = NAMES("SINGLE-FLOAT", "DOUBLE-FLOAT", "LONG-FLOAT"),
    .objects = "floats",
    .fault = "computes with floats using generic arithmetic",
    .remedy =
        "Declare the types of the operands and of the variable that receives "
        "the result, and compile the function with (OPTIMIZE (SAFETY 0)): "
        "ECL trusts declarations only then. Write a loop instead of REDUCE "
        "or APPLY. ECL 24.5.10 boxes the results of nested operations: "
        "assign each one to a typed variable.",
    .example = "(* a b) => (let ((a a) (b b)) (declare (double-float a b) "
               "(optimize (safety 0))) (* a b))",
    .unknown = "whether the result is boxed again when it leaves the "
               "function; operands of known type are boxed too "
               "(boxed-operand)",
};
