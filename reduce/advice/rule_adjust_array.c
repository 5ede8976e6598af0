/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* ADJUST-ARRAY makes a new array and copies the old one. */

#include "advice/rules.h"

const struct advice_rule rule_adjust_array = {
    .name = "adjust-array",
    .grade = GRADE_CHECK,
    .called = NAMES("ADJUST-ARRAY"),
    .objects = "objects",
    .fault = "copies arrays with ADJUST-ARRAY",
    .remedy = "Make the array large enough at the start, or use a fill "
              "pointer and VECTOR-PUSH-EXTEND, which grows the vector by "
              "half each time.",
    .example = "(setf a (adjust-array a (1+ (length a)))) => "
               "(vector-push-extend x a)",
    .unknown = "how many elements there will be",
};
