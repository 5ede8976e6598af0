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
    .fault = "copies sequences by REMOVE or SUBSTITUTE",
    .remedy = "Where nobody else has the sequence, use DELETE, "
              "which conses once for a list, or NSUBSTITUTE, which "
              "does not; DELETE copies vectors, too. To count or to "
              "find, use COUNT, FIND or POSITION; to go on with "
              "what is left, test in the loop.",
    .example = "(length (remove-if-not #'evenp list)) => (count-if "
               "#'evenp list)",
    .unknown = "whether anything else has the sequence",
};
