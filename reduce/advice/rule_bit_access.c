/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* BIT and SBIT are functions with a &REST list of indices, which is consed
 * also where the array is declared; AREF is not.
 */

#include "advice/rules.h"

const struct advice_rule rule_bit_access = {
    .name = "bit-access",
    .grade = GRADE_CERTAIN,
    .called = NAMES("BIT", "SBIT", "ARRAY-IN-BOUNDS-P"),
    .leaf = NAMES("cl_grab_rest_args"),
    .types = NAMES("CONS"),
    .objects = "conses",
    .fault = "conses the indices in BIT, SBIT or ARRAY-IN-BOUNDS-P",
    .remedy = "Use AREF, which does not cons, and compare the index with "
              "ARRAY-DIMENSION. Declarations do not help SBIT in ECL.",
    .example = "(sbit bits i) => (aref bits i)",
};
