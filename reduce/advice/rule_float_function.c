/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Functions of floats are called as functions of C where the type of the
 * operand is declared and SAFETY is 0, but not all of them.
 */

#include "advice/rules.h"

const struct advice_rule rule_float_function = {
    .name = "float-function",
    .grade = GRADE_CHECK,
    .called = NAMES(
        "SQRT", "ecl_sqrt", "SIN", "ecl_sin", "COS", "ecl_cos", "TAN",
        "ecl_tan", "ATAN", "ecl_atan1", "ecl_atan2", "ASIN", "ACOS", "SINH",
        "ecl_sinh", "COSH", "ecl_cosh", "TANH", "ecl_tanh", "ASINH", "ACOSH",
        "ATANH", "EXP", "ecl_exp", "LOG", "ecl_log1", "ecl_log2", "EXPT",
        "ecl_expt", "ABS", "ecl_abs", "SIGNUM", "FLOAT", "SCALE-FLOAT",
        "DECODE-FLOAT", "FFLOOR", "FCEILING", "FTRUNCATE", "FROUND",
        "ecl_floor1", "ecl_floor2", "ecl_ceiling1", "ecl_ceiling2",
        "ecl_truncate1", "ecl_truncate2", "ecl_round1", "ecl_round2", "FLOOR",
        "CEILING", "TRUNCATE", "ROUND", "MOD", "REM"),
    .types = NAMES("SINGLE-FLOAT", "DOUBLE-FLOAT", "LONG-FLOAT"),
    .objects = "floats",
    .fault = "calls float functions that box their results",
    .remedy =
        "With (OPTIMIZE (SAFETY 0)) and a declared operand, ECL calls C for "
        "SIN, COS, TAN, SINH, COSH, TANH and LOG, and for SQRT if the "
        "operand cannot be negative. Declarations do not help EXPT, ABS, "
        "ATAN, FLOOR of a float and others, nor EXP in ECL 21.2.1: call C "
        "with FFI:C-INLINE.",
    .example = "(exp x) => (ffi:c-inline (x) (:double) :double \"exp(#0)\" "
               ":one-liner t)",
    .unknown = "whether the result is boxed again when it leaves the "
               "function",
};
