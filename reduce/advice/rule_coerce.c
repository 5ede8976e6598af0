/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* COERCE to another type of sequence makes a copy. */

#include "advice/rules.h"

const struct advice_rule rule_coerce = {
    .name = "coerce",
    .grade = GRADE_CHECK,
    .called = NAMES("COERCE", "SI::COERCE-TO-LIST", "SI::COERCE-TO-VECTOR"),
    .through =
        NAMES("SI::COERCE-TO-LIST", "SI::COERCE-TO-VECTOR", "CONCATENATE"),
    .objects = "objects",
    .fault = "converts sequences with COERCE",
    .remedy = "Walk the sequence as it is: LOOP ACROSS, REDUCE and FIND "
              "accept vectors. Or make the sequence with the other type from "
              "the start.",
    .example = "(dolist (c (coerce text 'list)) ...) => (loop for c "
               "across text do ...)",
    .unknown = "whether the copy is kept",
};
