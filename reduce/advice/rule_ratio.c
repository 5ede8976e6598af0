/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Integers that are divided by / give a ratio; ROUND makes two on its way,
 * even of integers.
 */

#include "advice/rules.h"

const struct advice_rule rule_ratio = {
    .name = "ratio",
    .grade = GRADE_CHECK,
    .called =
        NAMES("ecl_plus", "ecl_minus", "ecl_times", "ecl_divide",
              "ecl_negate", "ecl_one_plus", "ecl_one_minus", "ecl_floor1",
              "ecl_floor2", "ecl_ceiling1", "ecl_ceiling2", "ecl_truncate1",
              "ecl_truncate2", "ecl_round1", "ecl_round2", "FLOOR", "CEILING",
              "TRUNCATE", "ROUND", "MOD", "REM", "ABS", "ecl_abs", "REDUCE",
              "APPLY", "EXPT", "ecl_expt"),
    .types = NAMES("RATIO"),
    .objects = "ratios",
    .fault = "computes with ratios",
    .remedy =
        "To get an integer, pass both integers to FLOOR or TRUNCATE, not "
        "their quotient. In ECL, ROUND of two integers makes two ratios: use "
        "FLOOR and compare the remainder. To get a float, convert the "
        "operands to floats first.",
    .example = "(floor (/ sum n)) => (floor sum n)",
    .unknown = "whether exact fractions are needed",
};
