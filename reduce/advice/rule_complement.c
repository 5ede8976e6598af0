/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* COMPLEMENT makes a closure with a &REST list. */

#include "advice/rules.h"

const struct advice_rule rule_complement = {
    .name = "complement",
    .grade = GRADE_CERTAIN,
    .through = NAMES("COMPLEMENT", "(LAMBDA :IN COMPLEMENT)"),
    .types = NAMES("CLOSURE", "CONS"),
    .objects = "objects",
    .fault = "calls functions made by COMPLEMENT",
    .remedy = "Use the function whose name ends in -IF-NOT, or a LAMBDA with "
              "NOT. In ECL, a function made by COMPLEMENT conses a list of "
              "its arguments for each call.",
    .example =
        "(remove-if (complement #'f) list) => (remove-if-not #'f list)",
};
