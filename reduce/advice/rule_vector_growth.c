/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* VECTOR-PUSH-EXTEND copies a full vector into a larger one. */

#include "advice/rules.h"

const struct advice_rule rule_vector_growth = {
    .name = "vector-growth",
    .grade = GRADE_CHECK,
    .called = NAMES("VECTOR-PUSH-EXTEND"),
    .through = NAMES("extend_vector"),
    .objects = "objects",
    .fault = "grows vectors with VECTOR-PUSH-EXTEND",
    .remedy =
        "Make the vector large enough at the start, with a fill pointer of "
        "0. The larger initial vector reduces the saving. Or give "
        "VECTOR-PUSH-EXTEND a larger extension, or keep a vector that has "
        "grown and set its fill pointer to 0.",
    .example = "(make-array 0 :adjustable t :fill-pointer t) => "
               "(make-array 10000 :adjustable t :fill-pointer 0)",
    .unknown = "how many elements there will be",
};
