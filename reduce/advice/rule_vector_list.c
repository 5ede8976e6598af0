/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* VECTOR gets its elements as a list. */

#include "advice/rules.h"

const struct advice_rule rule_vector_list = {
    .name = "vector-list",
    .grade = GRADE_CERTAIN,
    .called = NAMES("VECTOR", "APPLY"),
    .through = NAMES("VECTOR"),
    .types = NAMES("CONS"),
    .objects = "conses",
    .fault = "calls VECTOR, which conses a list of its arguments",
    .remedy = "Make the vector with MAKE-ARRAY and set its elements.",
    .example = "(vector a b) => (let ((v (make-array 2))) (setf (svref v 0) "
               "a (svref v 1) b) v)",
};
