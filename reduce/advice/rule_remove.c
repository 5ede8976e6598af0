/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* REMOVE and SUBSTITUTE copy the sequence. */

#include "advice/rules.h"

const struct advice_rule rule_remove = {
    .name = "remove",
    .grade = GRADE_CHECK,
    .called = NAMES("REMOVE", "REMOVE-IF", "REMOVE-IF-NOT",
                    "REMOVE-DUPLICATES", "SUBSTITUTE", "SUBSTITUTE-IF",
                    "SUBSTITUTE-IF-NOT", "SUBST", "SUBLIS"),
    .objects = "objects",
    .fault = "copies sequences with REMOVE or SUBSTITUTE",
    .remedy =
        "If nothing else refers to the sequence, use DELETE, which conses "
        "once for a list, or NSUBSTITUTE, which does not cons. DELETE still "
        "copies vectors. To count or search, use COUNT, FIND or POSITION. To "
        "process the remaining elements, test inside the loop.",
    .example = "(length (remove-if-not #'evenp list)) => (count-if "
               "#'evenp list)",
    .unknown = "whether anything else refers to the sequence",
};
